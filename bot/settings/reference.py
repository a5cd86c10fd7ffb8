"""Writes config/README.md from the settings themselves: ``python -m bot.settings.reference``."""

import sys
from collections.abc import Iterator
from typing import Final

from pydantic.fields import FieldInfo

from bot.settings.root import Configuration
from bot.settings.section import Section, section_below

_BEFORE: Final = """\
# The settings

Everything can be left out: an empty setting is its default. `script/run check` says what would
run, or names each mistake with its line. Whole files to begin with stand in [examples](examples/).

| file, in the state directory | what |
|---|---|
| `config.yaml` | the settings below; made at the first start, never written over |
| `.env` | keys, one `NAME=value` a line (see `env.example`); mode 0600 |
| `schema.json` | what an editor checks `config.yaml` against; that of this version, at each start |
| `config.last-good.yaml` | that of the last good start; stands in while it is broken, loudly |

The state directory is `$STONECHAT_HOME`, else `~/.stonechat`. Relative paths start there.

A scalar is the text that is written: `no` is no boolean, `010` no eight, and an id is the same
with quotes and without. `${NAME}` is a variable of the environment or of `.env`, `${NAME:-text}`
one with a default, `$${` a plain `${`. Where a secret stands, `{file: path}` reads it from a file.

An editor with yaml-language-server (VS Code's YAML extension, Neovim, Helix, …) explains every key
and marks every mistake as you type, because the first line of `config.yaml` says where the schema
is: `# yaml-language-server: $schema=schema.json`. It reads YAML's own types, so `0x10` and `True`
pass it and are refused at the start.

This page is written by `python -m bot.settings.reference`, the schema by
`python -m bot.settings.schema`, and tests keep both so.

| key | default | what |
|---|---|---|
"""

_AFTER: Final = """
## Without `models:`

The first of these that is set decides, in the environment or in `.env`:

| variable | then |
|---|---|
| `CHOSEN_MODEL` | what was chosen on the page or by `models add`; also where there is `models:` |
| `ANTHROPIC_API_KEY` | Anthropic (`ANTHROPIC_MODEL`, `ANTHROPIC_BASE_URL`) |
| `OPENAI_API_KEY`, `OPENAI_BASE_URL` | OpenAI, or a server that speaks like it (`OPENAI_MODEL`) |
| none | a demo that is no language model and says so |

A key of the environment goes to the address of the environment or to the provider's own, never
to one that `config.yaml` names.

## Other variables

In the environment or in `.env`:

| variable | what |
|---|---|
| `OLLAMA_HOST` | where Ollama listens, read as its own command reads it; else `127.0.0.1:11434` |
| `TELEGRAM_API_URL` | a Bot API server of one's own; else Telegram's |
| `TELEGRAM_BOT_TOKEN`, `TELEGRAM_BOT_URL` | the bot that `channels add telegram` has checked |
| `CHOSEN_KEY`, `CHOSEN_URL` | the key and the address of `CHOSEN_MODEL`, written with it |

In the environment alone:

| variable | what |
|---|---|
| `STONECHAT_HOME` | the state directory; else `~/.stonechat` |
| `STONECHAT_COMMAND` | how advice calls this program; `script/run` sets it |
| `STONECHAT_FAULT` | ends the process at a named point, to try what a crash costs |
| `STONECHAT_ENV` | `production` refuses a `STONECHAT_FAULT` |
| `NO_COLOR` | no colours on the terminal |
| `SSH_CONNECTION` | set by sshd: the way to the page through a tunnel is shown |
| `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` | the proxy to others; never to this machine |
| `SSL_CERT_FILE`, `SSL_CERT_DIR` | another store of certificates than the system's |
"""


def reference() -> str:
    """Return the page (pure)."""
    rows = "".join(
        f"| `{key}` | {default} | {what} |\n" for key, default, what in _rows(Configuration, "")
    )
    return _BEFORE + rows + _AFTER


def _rows(
    section: type[Section], above: str, told: dict[type[Section], str] | None = None
) -> Iterator[tuple[str, str, str]]:
    """Give a row for each key; where the same keys were told of before, only where that was."""
    told = {} if told is None else told
    meanings = section.meanings()
    for name, field in section.model_fields.items():
        key = f"{above}{name}"
        inner, suffix = section_below(field)
        meaning = " ".join(meanings[name].split())
        if inner is not None and inner in told:
            meaning += f" The same keys as `{told[inner]}`."
        yield f"{key}{suffix}", _default(field, inner), meaning
        if inner is not None and inner not in told:
            told[inner] = f"{key}{suffix}"
            yield from _rows(inner, f"{key}{suffix}.", told)


def _default(field: FieldInfo, inner: type[Section] | None) -> str:
    if field.is_required():
        return "*needed*"
    if inner is not None or field.default in (None, (), {}) or isinstance(field.default, dict):
        return ""
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
