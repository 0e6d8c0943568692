"""The registry of tuners: `nlmt tune --method`, and the keys `method` of the configuration."""

from collections.abc import Mapping
from typing import Any

from nlmt.errors import InputError
from nlmt.registry import Registry
from nlmt.settings_check import read_settings
from nlmt.tuning.tuner import AnyTuner, LatticeTuner, ListTuner

TUNERS: Registry[type[AnyTuner]] = Registry(
    "tuner",
    {
        "mert": "nlmt.tuning.mert:MertTuner",
        "lattice-mert": "nlmt.tuning.mert:LatticeMertTuner",
        "pro": "nlmt.tuning.pro:ProTuner",
        "mira": "nlmt.tuning.mira:MiraTuner",
        "lattice-mira": "nlmt.tuning.mira:LatticeMiraTuner",
        "trust-region": "nlmt.tuning.trust_region:TrustRegionTuner",
    },
)


def make_tuner(name: str, options: Mapping[str, Any] | None = None) -> AnyTuner:
    """The tuner of this name.

    Raises:
        InputError: an unknown name, key or value; names what is allowed.
    """
    tuner = TUNERS.get(name)
    return tuner(read_settings(tuner.options_type, options or {}, where=name))


def list_tuner(name: str, options: Mapping[str, Any] | None = None) -> ListTuner[Any]:
    """The tuner of this name for n-best lists.

    Raises:
        InputError: as in `make_tuner`; or it works on lattices.
    """
    tuner = make_tuner(name, options)
    if not isinstance(tuner, ListTuner):
        raise InputError(f"{name} works on lattices", hint=_others(ListTuner))
    return tuner


def lattice_tuner(name: str, options: Mapping[str, Any] | None = None) -> LatticeTuner[Any]:
    """The tuner of this name for lattices.

    Raises:
        InputError: as in `make_tuner`; or it works on n-best lists.
    """
    tuner = make_tuner(name, options)
    if not isinstance(tuner, LatticeTuner):
        raise InputError(f"{name} does not work on lattices", hint=_others(LatticeTuner))
    return tuner


def names_for(kind: type[AnyTuner]) -> list[str]:
    """Names of the tuners of a kind."""
    return [name for name, tuner in TUNERS.items() if issubclass(tuner, kind)]


def _others(kind: type[AnyTuner]) -> str:
    return f"allowed: {', '.join(names_for(kind))}"
