"""Models with a `grid`: one for each combination of its values, and the systems that use them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from nlmt.errors import InputError
from nlmt.paper_settings import paper_of

MODELS, SYSTEMS, GRID = "language_models", "systems", "grid"
# Keys of a system that name another system, other systems, and models.
SYSTEM_KEYS = ("decoded_by", "weights_of", "start_from", "baseline")
_SEVERAL = "compared_with"
_MODELS_OF = ("language_models", "rescored_with")


@dataclass(frozen=True)
class Point:
    """A combination of the values of a grid."""

    values: Mapping[str, Any]
    model: str

    @property
    def label(self) -> str:
        """Its values in words: `dim 100, dropout 0.2`."""
        return ", ".join(f"{key} {_text(value, ' ')}" for key, value in self.values.items())


@dataclass(frozen=True)
class Grid:
    """A model whose entry has a grid.

    Attributes:
        points: all combinations; the last key varies fastest.
        systems: names of the systems that use it, and of the system at each point.
    """

    model: str
    points: Sequence[Point]
    systems: Mapping[str, Sequence[str]]


class GridExpansion:
    """The models and systems of a configuration, where grids are replaced by their points.

    Systems of papers, and those that they name, keep their models, as the papers' tables name them.
    What is not of the expected form is left as it is, for the check of the configuration.

    Args:
        values: of all configuration files, merged.
        papers: keys of all papers.

    Raises:
        InputError: a point has the name of another model or system.
    """

    def __init__(self, values: Mapping[str, Any], papers: Collection[str] = ()) -> None:
        self._values, self._papers = values, papers
        self._systems = _mapping(values.get(SYSTEMS))
        self._points = {
            name: points
            for name, entry in _mapping(values.get(MODELS)).items()
            if (points := list(_points(name, _mapping(entry).get(GRID))))
        }

    @cached_property
    def grids(self) -> list[Grid]:
        """All grids."""
        return [
            Grid(
                model,
                points,
                {
                    system: [system + point.model.removeprefix(model) for point in points]
                    for system in self._systems
                    if self._grids_of(system) == [model]
                },
            )
            for model, points in self._points.items()
        ]

    def values(self) -> dict[str, Any]:
        """The configuration with a model, and a system, for each point."""
        if not self._points:
            return dict(self._values)
        kept = [model for system in self._kept for model in self._models_of(system)]
        models: dict[str, Any] = {}
        for name, entry in _mapping(self._values[MODELS]).items():
            plain = {key: value for key, value in _mapping(entry).items() if key != GRID}
            for point in self._points.get(name, ()):
                _add(models, MODELS, point.model, {**plain, **point.values})
            if name not in self._points:
                _add(models, MODELS, name, entry)
            elif name in kept:
                _add(models, MODELS, name, plain)
        systems: dict[str, Any] = {}
        for name, entry in self._systems.items():
            grids = self._grids_of(name)
            if not grids or name in self._kept:
                _add(systems, SYSTEMS, name, entry)
            if grids:
                for chosen in product(*(self._points[grid] for grid in grids)):
                    _add(systems, SYSTEMS, *self._system(name, entry, chosen))
        return {**self._values, MODELS: models, SYSTEMS: systems}

    def as_written(self, key: str) -> str:
        """The key of the user's file for one of the expanded configuration."""
        for model, points in self._points.items():
            for point in points:
                before = f"{MODELS}.{point.model}"
                if key.startswith((f"{before}.", f"{before}:")):
                    inside = key.removeprefix(f"{before}.").partition(":")[0].split(".")[0]
                    grid = f".{GRID}" if inside in point.values else ""
                    return key.replace(before, f"{MODELS}.{model}{grid}", 1)
        return key

    def _system(self, name: str, entry: Any, chosen: Sequence[Point]) -> tuple[str, Any]:
        """The name and entry of a system with the models of these points."""
        points = dict(zip(self._grids_of(name), chosen, strict=True))

        def model(one: Any) -> Any:
            if isinstance(one, Mapping):
                return {**one, "name": model(one.get("name"))}
            return points[one].model if isinstance(one, str) and one in points else one

        def system(one: Any) -> Any:
            return self._name(one, points) if isinstance(one, str) else one

        changed = {
            key: list(map(change, entry[key]))
            for key, change in (*dict.fromkeys(_MODELS_OF, model).items(), (_SEVERAL, system))
            if isinstance(entry.get(key), list)
        }
        changed |= {key: system(entry[key]) for key in SYSTEM_KEYS if key in entry}
        label = ", ".join([str(entry.get("label", name)), *(point.label for point in chosen)])
        return self._name(name, points), {**entry, **changed, "label": label}

    def _name(self, system: str, points: Mapping[str, Point]) -> str:
        """The name of a system at points of its grids."""
        own = [grid for grid in self._grids_of(system) if grid in points]
        return system + "".join(points[grid].model.removeprefix(grid) for grid in own)

    def _grids_of(self, system: str, users: Sequence[str] = ()) -> list[str]:
        """The grids whose models a system uses, or a system that it names."""
        if self._of_paper(system):
            return []
        used = self._models_of(system)
        for other in self._named_by(system):
            if other not in (*users, system):
                used += self._grids_of(other, (*users, system))
        return [grid for grid in self._points if grid in used]

    @cached_property
    def _kept(self) -> set[str]:
        """The systems of papers, and those that these name."""
        kept: set[str] = set()
        waiting = list(filter(self._of_paper, self._systems))
        while waiting:
            system = waiting.pop()
            if system not in kept:
                kept.add(system)
                waiting += self._named_by(system)
        return kept

    def _of_paper(self, system: str) -> bool:
        return paper_of(str(system), self._papers) is not None  # YAML may have made it a number

    def _models_of(self, system: str) -> list[Any]:
        """The models that the entry of a system names."""
        entry = _mapping(self._systems.get(system))
        named = [model for key in _MODELS_OF for model in _list(entry.get(key))]
        return [one.get("name") if isinstance(one, Mapping) else one for one in named]

    def _named_by(self, system: str) -> list[str]:
        """The systems that the entry of a system names."""
        entry = _mapping(self._systems.get(system))
        named = [*(entry.get(key) for key in SYSTEM_KEYS), *_list(entry.get(_SEVERAL))]
        return [one for one in named if isinstance(one, str)]


def _points(model: str, grid: Any) -> Iterator[Point]:
    """The points of a grid; none where it is not of the expected form."""
    keys = _mapping(grid)
    if keys and all(isinstance(values, list) and values for values in keys.values()):
        for values in product(*keys.values()):
            chosen = dict(zip(keys, values, strict=True))
            ending = "".join(f"-{key}{_text(value, 'x')}" for key, value in chosen.items())
            yield Point(chosen, model + ending)


def _text(value: Any, joint: str) -> str:
    """A value as it is in a name or a label."""
    return joint.join(map(str, value)) if isinstance(value, list) else str(value)


def _add(found: dict[str, Any], where: str, name: str, entry: Any) -> None:
    if name in found:
        raise InputError(f"{where}.{name}: a point of a grid has the same name")
    found[name] = entry


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
