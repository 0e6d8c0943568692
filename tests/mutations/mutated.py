"""A plugin of pytest that changes a module on its import.

NLMT_MUTATION is JSON: the module's name, a text that its source has once, and what replaces it.
"""

import json
import os
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

MODULE, OLD, NEW = json.loads(os.environ["NLMT_MUTATION"])
_get_code = SourceFileLoader.get_code


def _mutated_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
    if fullname != MODULE:
        return _get_code(self, fullname)
    source = Path(self.path).read_text(encoding="utf-8")
    assert source.count(OLD) == 1, OLD
    return compile(source.replace(OLD, NEW), self.path, "exec")


SourceFileLoader.get_code = _mutated_code  # type: ignore[method-assign]
