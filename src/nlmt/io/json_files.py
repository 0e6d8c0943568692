"""Reading JSON artefacts, with errors that name file and line."""

import json
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.files import check_file


def read_json(path: Path | str) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises:
        InputError: no such file, truncated or damaged, or not an object.
    """
    path = check_file(path)
    hint = "is it the right file? If so, make it again"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        what = f"no JSON, or truncated: {error.msg}"
        raise InputError(what, path=path, line=error.lineno, hint=hint) from error
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", path=path, hint=hint) from error
    except RecursionError as error:
        raise InputError("nested too deeply", path=path, hint=hint) from error
    if not isinstance(content, dict):
        raise InputError("not a JSON object", path=path, hint=hint)
    return content
