"""Moses' configuration file: sections, feature functions and their weights.

A file has sections `[name]` of plain values, a section `[feature]` with one feature function a
line (`KENLM name=LM0 path=lm.binary order=5`), and a section `[weight]` with one line a feature
(`LM0= 0.5`). `#` begins a comment wherever it stands; what follows `[name]` on its line is dropped.
Paths are kept as given: Moses resolves relative ones from its working directory.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nlmt.errors import InputError, in_file
from nlmt.io.fields import parse_number, split_fields
from nlmt.io.files import read_lines, write_text
from nlmt.io.moses_ini_old import OLD_SECTIONS, OldIni
from nlmt.io.weights import Weights

_PATHS = frozenset(["path", "cache"])
_BLANKS = " \t\r"  # Unicode's other spaces may be parts of a path
BANNER = "#########################\n### MOSES CONFIG FILE ###\n#########################\n"


@dataclass(frozen=True)
class Feature:
    """One feature function.

    Attributes:
        kind: its class, such as `KENLM`.
        label: of its weights, such as `LM0`; kind and a number if no name is given.
        arguments: the `key=value` settings of its line, in order, including `name`.
        place: its line in the file, from 1; None where it is no line of a file.
    """

    kind: str
    label: str
    arguments: Mapping[str, str]
    place: int | None = field(default=None, compare=False)

    def line(self) -> str:
        """The feature as a line of `[feature]`."""
        return " ".join([self.kind, *(f"{key}={value}" for key, value in self.arguments.items())])

    def fault(self, path: Path | str, what: str, hint: str = "") -> InputError:
        """The error for this feature of the moses.ini at `path`."""
        return InputError(what, path=path, line=self.place, hint=hint)


@dataclass(frozen=True)
class MosesIni:
    """The content of a moses.ini.

    Attributes:
        sections: the values of each plain section, in the file's order.
        features: the feature functions, in the file's order.
        weights: by label, in the file's order.
        places: the line of each plain section in the file, from 1.
    """

    sections: Mapping[str, Sequence[str]]
    features: Sequence[Feature]
    weights: Weights
    places: Mapping[str, int] = field(default_factory=dict, compare=False)

    def feature(self, label: str) -> Feature:
        """The feature with this label; `KeyError` if there is none."""
        for feature in self.features:
            if feature.label == label:
                return feature
        raise KeyError(label)

    def ordered_weights(self) -> dict[str, list[float]]:
        """The weights in the order of the features, as the values of search graphs are."""
        known = (feature.label for feature in self.features if feature.label in self.weights)
        return {label: list(self.weights[label]) for label in known}

    def with_weights(self, weights: Weights) -> "MosesIni":
        """A copy with some or all weights replaced.

        Raises:
            InputError: a label that the configuration lacks, or a wrong number of weights.
        """
        for label, values in weights.items():
            if label not in self.weights:
                raise InputError(
                    f"weights for {label}, but no such feature",
                    hint=f"one of {', '.join(self.weights)}",
                )
            if len(values) != len(self.weights[label]):
                raise InputError(
                    f"{label} has {len(self.weights[label])} weights, not {len(values)}"
                )
        return replace(self, weights={**self.weights, **weights})


def make_features(lines: Sequence[str]) -> tuple[Feature, ...]:
    """Features from the lines of `[feature]`; features without a name are numbered by kind."""
    seen: Counter[str] = Counter()
    return tuple(_feature(line, seen) for line in lines)


def _feature(line: str, seen: Counter[str]) -> Feature:
    """The feature of a line; `seen` counts those without a name by kind."""
    kind, *settings = split_fields(line)
    arguments = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (key and equals):
            raise InputError(f"'{setting}' in the feature {kind} is not key=value")
        if key in arguments:
            raise InputError(f"the feature {kind} has {key}= twice")
        arguments[key] = value
    label = arguments.get("name", f"{kind}{seen[kind]}")
    seen[kind] += "name" not in arguments
    return Feature(kind, label, arguments)


def read_ini(path: Path | str) -> MosesIni:
    """Read a configuration, also one of before 2013; comments and empty lines are dropped.

    Raises:
        InputError: a value outside any section, a feature or weight that does not parse, or
            sections of both forms.
    """
    sections: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    features: list[Feature] = []
    seen: Counter[str] = Counter()
    weights: dict[str, list[float]] = {}
    section = ""
    for number, raw in enumerate(read_lines(path), start=1):
        line = raw.partition("#")[0].strip(_BLANKS)
        if not line:
            continue
        if line.startswith("["):
            section, closed, _ = line[1:].partition("]")
            if not closed:
                raise InputError(f"'{line}' has no ]", path=path, line=number)
            if section not in ("feature", "weight"):
                sections.setdefault(section, [])
                places.setdefault(section, number)
        elif not section:
            raise InputError(f"'{line}' comes before any [section]", path=path, line=number)
        elif section == "weight":
            label, equals, values = line.partition("=")
            label = label.strip(_BLANKS)
            if label in weights:
                raise InputError(f"{label} has weights twice", path=path, line=number)
            try:
                weights[label] = [parse_number(value) for value in split_fields(values)]
            except ValueError:
                equals = ""
            if not equals:
                raise InputError(
                    f"'{line}' is not a weight", path=path, line=number, hint="LM0= 0.5"
                )
        elif section == "feature":
            with in_file(path, number):
                features.append(replace(_feature(line, seen), place=number))
        else:
            sections[section].append(line)
    old = OLD_SECTIONS.intersection(sections)
    if not old:
        return MosesIni(sections, tuple(features), weights, places)
    if features or weights:
        what = f"[{min(old)}] is of the form of before 2013, [feature] and [weight] of today's"
        raise InputError(what, path=path, hint="Moses takes the one or the other")
    with in_file(path):
        converted = OldIni(sections)
        made = make_features(converted.lines)
    labels = (feature.label for feature in made)
    weights = dict(zip(labels, converted.weights, strict=True))
    return MosesIni(converted.rest(), made, weights, places)


def movable(ini: MosesIni, path: Path | str) -> MosesIni:
    """A copy that may be written elsewhere: paths relative to its folder become absolute.

    Paths that exist relative to the present folder stay unchanged.
    """

    def moved(feature: Feature) -> Feature:
        arguments = dict(feature.arguments)
        for key in _PATHS.intersection(arguments):
            given = Path(arguments[key])
            beside = Path(path).absolute().parent.resolve() / given
            names = (given, Path(f"{given}.gz"))  # a table is found without its .gz
            if not any(name.exists() for name in names) and any(
                beside.with_name(name.name).exists() for name in names
            ):
                arguments[key] = str(beside)
        return replace(feature, arguments=arguments)

    return replace(ini, features=[moved(feature) for feature in ini.features])


def weight_lines(weights: Weights) -> list[str]:
    """The lines of `[weight]`, in the shortest decimals; whole numbers without a point."""
    return [
        f"{label}= {' '.join(repr(float(value)).removesuffix('.0') for value in values)}"
        for label, values in weights.items()
    ]


def format_ini(ini: MosesIni) -> str:
    """The text of a configuration.

    Raises:
        InputError: a setting, such as a path, with `#`, after which a reader would find a comment,
            or with a blank, after which it would find another setting.
    """
    for feature in ini.features:
        line = feature.line()
        if "#" in line:
            what = f"# in the feature {feature.label} would begin a comment: {line}"
            raise InputError(what, hint="rename the file or folder")
        if len(split_fields(line)) != 1 + len(feature.arguments):
            what = f"a blank in the feature {feature.label} would end a setting: {line}"
            raise InputError(what, hint="rename the folder, or name it by a link without blanks")
    blocks = [BANNER]
    for section, values in ini.sections.items():
        blocks.append("".join(f"{line}\n" for line in [f"[{section}]", *values]))
    blocks.append("".join(f"{line}\n" for line in ["[feature]", *(f.line() for f in ini.features)]))
    blocks.append("".join(f"{line}\n" for line in ["[weight]", *weight_lines(ini.weights)]))
    return "\n".join(blocks)


def write_ini(path: Path | str, ini: MosesIni) -> None:
    """Write a configuration atomically; InputError as `format_ini`."""
    write_text(path, format_ini(ini))
