"""The registry of tuners: `nlmt tune --method`, and the keys `method` of the configuration."""

from collections.abc import Mapping
from typing import Any

from nlmt.errors import InputError
from nlmt.registry import Registry
from nlmt.settings_check import read_settings
from nlmt.tuning.tuner import AnyTuner, ListTuner

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
        hint = f"allowed: {', '.join(names_for(ListTuner))}"
        raise InputError(f"{name} works on lattices", hint=hint)
    return tuner


def names_for(kind: type[AnyTuner]) -> list[str]:
    """Names of the tuners of a kind."""
    return [name for name, tuner in TUNERS.items() if issubclass(tuner, kind)]
