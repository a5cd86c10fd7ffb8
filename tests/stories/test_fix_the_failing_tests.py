"""A model reads a log, mends a file, runs the tests in the sandbox, and reports what they said."""

import json
from pathlib import Path

from tests.doubles.bot_process import BotProcess, a_witness
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Call, Raw

CODE = "def add(a, b):\n    return a - b\n"
TEST = """\
import unittest

from sums import add


class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)


if __name__ == "__main__":
    unittest.main()
"""
LOG = "FAIL: test_add (test_sums.Sums)\nAssertionError: -1 != 5\n"


def a_call(name: str, **arguments: object) -> Call:
    return Call(name=name, arguments=json.dumps(arguments))


def mender(asked: Asked) -> Answer | Raw:
    """Go one step further for every result; report what the last one really says."""
    steps = (
        a_call("read_file", path="test.log"),
        a_call("read_file", path="sums.py"),
        a_call("edit_file", path="sums.py", old="return a - b", new="return a + b"),
        a_call("shell", command="python3 -m unittest 2>&1"),
    )
    done = len(asked.results)
    if done < len(steps):
        return Answer(text="Next step.", calls=(steps[done],))
    passed = "OK" in asked.results[-1].text and "Ran 1 test" in asked.results[-1].text
    return Answer(text="The test passes now." if passed else f"It says: {asked.results[-1].text}")


async def test_the_tests_pass_in_the_sandbox_after_the_edit(tmp_path: Path) -> None:
    async with FakeOpenAI(mender) as model:
        bot = BotProcess(
            tmp_path / "home", {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        )
        await bot.start()
        for name, text in (("sums.py", CODE), ("test_sums.py", TEST), ("test.log", LOG)):
            (bot.workspace / name).write_text(text)
        async with a_witness(bot) as witness:
            said = await witness.say("the tests fail, see test.log; please fix the code")
            ended = await witness.outcome(said)
        await bot.stop()

    assert ended.text == "The test passes now."
    assert (bot.workspace / "sums.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert ended.usage.tool_calls == 4
    assert model.complaints == []
