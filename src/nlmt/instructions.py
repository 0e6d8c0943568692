"""Which build of the compiled modules runs, where there are two.

A wheel has all compiled modules twice: for processors with AVX2 in their places, and for others in
`BASELINE`. Results of the former are the same on all processors that have AVX2; those of the latter
differ from them in rounding.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from typing_extensions import override

BASELINE = Path(__file__).with_name("baseline")
_CPUINFO = Path("/proc/cpuinfo")


class BaselineFinder(MetaPathFinder):
    """Finds compiled modules of nlmt, whose names begin with an underscore, in `BASELINE`."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, module = fullname.rpartition(".")
        library, *folders = package.split(".")
        if library != "nlmt" or not module.startswith("_"):
            return None
        return PathFinder.find_spec(fullname, [str(BASELINE.joinpath(*folders))], target)


def has_avx2() -> bool:
    """Whether this processor has AVX2 and fused multiply-add, which the usual build needs."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8").splitlines()
    except OSError:
        return True
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return {"avx2", "fma"} <= set(flags)


def choose_build() -> None:
    """Import the baseline build from here on, where there is one and the processor needs it."""
    if BASELINE.is_dir() and not has_avx2():
        sys.meta_path.insert(0, BaselineFinder())
