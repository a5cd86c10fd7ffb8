"""What is wrong with something a client sent, in one sentence for whoever wrote the client."""

import json

from pydantic import ValidationError


def translate(error: ValueError | RecursionError) -> str:
    """Say why a frame could not be read (pure). Nothing of what was sent is repeated."""
    match error:
        case ValidationError():
            first = error.errors(include_url=False, include_input=False)[0]
            return _sentence(first["type"], ".".join(str(part) for part in first["loc"]))
        case json.JSONDecodeError():
            return f"This is not JSON: {error.msg} at character {error.pos}."
        case RecursionError():
            return "This is nested too deeply to be a frame."
        case _:
            return "This is not JSON that can be read."


def _sentence(kind: str, place: str) -> str:
    field = place.rpartition(".")[2]
    match kind:
        case "union_tag_not_found":
            return "A frame needs a type: hello, say, stop or ping."
        case "union_tag_invalid":
            return "There is no frame of this type; hello, say, stop and ping exist."
        case "missing":
            return f"The field {field!r} is missing."
        case "unexpected_keyword_argument" | "extra_forbidden":
            return "There is a field too many; a frame has only the fields of its type."
        case "string_pattern_mismatch":
            return f"The field {field!r} is no UUID in lower case."
        case "dict_type" | "dataclass_type":
            return "A frame is a JSON object."
        case _:
            return f"The field {field!r} is not of its kind."
