"""Feature functions and weights of a moses.ini, checked."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from nlmt.decoder._decoder import FeatureSpec, NeuralModel
from nlmt.decoder.ini_search import near, parse_switch, require
from nlmt.decoder.language_models import load_class_table, load_neural_model
from nlmt.decoder.score_files import ScoreFile
from nlmt.decoder.search_options import LARGEST
from nlmt.errors import InputError
from nlmt.io.fields import parse_whole
from nlmt.io.lattice import is_fixed
from nlmt.io.moses_ini import Feature, MosesIni
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import Weights
from nlmt.ngram import ClassNgramModel, NgramModel
from nlmt.ngram.class_model import CLASSES

log = logging.getLogger(__name__)

# class of a feature function: its possible settings apart from those of all
FEATURES: Mapping[str, frozenset[str]] = {
    "UnknownWordPenalty": frozenset(),
    "WordPenalty": frozenset(),
    "PhrasePenalty": frozenset(),
    "Distortion": frozenset(),
    "PhraseDictionaryMemory": frozenset(
        ["path", "table-limit", "cache-size", "input-factor", "output-factor"]
    ),
    "LexicalReordering": frozenset(["path", "type", "input-factor", "output-factor"]),
    "KENLM": frozenset(["path", "order", "factor", "lazyken", "load", "units"]),
    "ClassLM": frozenset(["path"]),
    "NeuralLM": frozenset(["path", "scores", "quantise", "products", "cache", "units"]),
}
# Settings that Moses takes for every feature function.
_GENERAL = frozenset(
    [
        *("name", "num-features", "tuneable", "tuneable-components", "filterable", "verbosity"),
        "require-sorting-after-source-context",
    ]
)
# Switches of Moses that may stand where they are off.
_SWITCHES: Mapping[str, frozenset[str]] = {
    "KENLM": frozenset(["oov-feature"]),
    "LexicalReordering": frozenset(["default-scores"]),
    "PhrasePenalty": frozenset(["per-phrase-table"]),
    "Distortion": frozenset(["sparse"]),
}
# What takes the place of features of Moses that are not supported.
_TEXT_TABLE = "give the text table as PhraseDictionaryMemory"
_ARPA = "give its ARPA file as KENLM"
_INSTEAD = {
    **dict.fromkeys(["ProbingPT", "Mmsapt", "RuleTable"], _TEXT_TABLE),
    **dict.fromkeys(["SRILM", "IRSTLM", "RANDLM", "DALM", "MaxEntLM"], _ARPA),
}
# Ends of the names of Moses' binary tables, which it opens in place of the text.
_BINARY = (".minphr", ".minlexr", ".binphr.idx", ".binlexr.idx")
TABLE_LIMIT = 20  # Moses' default
_MOST_SCORES = 4096  # of a feature, as of all in a file of lattices
_FACTORS = ("input-factor", "output-factor", "factor")
# Values of settings, the default first.
_UNITS = ("words", "tuples")
_SCORES = ("normalised", "unnormalised")
_PRODUCTS = ("kept", "computed")


def feature_specs(ini: MosesIni, path: Path, table_limit: int | None) -> list[FeatureSpec]:
    """The feature functions as the decoder loads them.

    Relative paths are resolved from the working directory, as by Moses, then from the folder of
    the moses.ini.

    Raises:
        InputError: an unknown or missing feature or setting, a missing file.
    """
    if not ini.features:
        raise InputError("no [feature] section", path=path)
    if table_limit is not None and table_limit > LARGEST:
        hint = f"at most {LARGEST:,}; 0: all"
        raise InputError(f"a table limit of {table_limit}", path=path, hint=hint)
    labels = Counter(feature.label for feature in ini.features)
    twice = next((label for label, times in labels.items() if times > 1), None)
    if twice is not None:
        what = f"two features have the label {twice}"
        raise InputError(what, path=path, hint="rename one of them")
    for feature in ini.features:
        _check_kind(feature, path)
    if not any(feature.kind == "PhraseDictionaryMemory" for feature in ini.features):
        raise InputError("no PhraseDictionaryMemory, so no translations", path=path)
    try:
        return [_feature_spec(feature, path, table_limit) for feature in ini.features]
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{error.filename!s:.200}: {error.strerror}", path=path) from error


def tuneable_values(
    ini: MosesIni, features: Sequence[tuple[str, str, int]], path: Path
) -> dict[str, list[bool]]:
    """Whether n-best lists have each value of each feature, from which its weight is tuned.

    `features` are kind, label and number of values of each.

    Raises:
        InputError: a value of `tuneable` or `tuneable-components` that Moses does not read.
    """
    return {label: _tuneable(ini.feature(label), width, path) for _, label, width in features}


def given_weights(ini: MosesIni, tuneable: Mapping[str, Sequence[bool]]) -> dict[str, list[float]]:
    """The weights of a moses.ini; 1, as in Moses, for features that have none.

    Logs a warning where such a feature is tuned. `tuneable` is as from `tuneable_values`.
    """
    weights = {label: list(values) for label, values in ini.weights.items()}
    for label, values in tuneable.items():
        if label not in weights:
            weights[label] = [1.0] * len(values)
            if any(values):
                log.warning("%s has no weights: they are 1, as in Moses", label)
    return weights


def flat_weights(
    features: Sequence[tuple[str, str, int]],
    weights: Weights,
    path: Path | str | None = None,
) -> list[float]:
    """One weight for each value of each feature.

    `features` are kind, label and number of values of each; `path` is the weights' place in
    messages.

    Raises:
        InputError: as in `flatten_weights`; weights of an unknown feature, one that is too large.
    """
    names = [(label, width) for _, label, width in features]
    known = dict(names)
    for label, values in weights.items():
        if label not in known:
            hint = f"there are {', '.join(known)}"
            raise InputError(f"weights for {label}, but no such feature", path=path, hint=hint)
        if not all(abs(value) <= LARGEST for value in values):
            raise InputError(
                f"a weight of {label} is not a number, or too large",
                path=path,
                hint=f"at most {LARGEST:,}",
            )
    return list(flatten_weights(names, weights, path=path))


def _check_kind(feature: Feature, path: Path) -> None:
    """Raise InputError for an unknown kind of feature."""
    kind = feature.kind
    if kind in FEATURES:
        return
    instead = _TEXT_TABLE if kind.startswith("PhraseDictionary") else _INSTEAD.get(kind)
    if instead is not None:
        raise feature.fault(path, f"{kind} is not supported", instead)
    known = f"there are {', '.join(FEATURES)}"
    raise feature.fault(path, f"unknown feature {kind}{near(kind, FEATURES)}", known)


def _tuneable(feature: Feature, width: int, path: Path) -> list[bool]:
    """Whether n-best lists have each of a feature's values."""
    words = {"tuneable": str(not is_fixed(feature.kind))} | dict(feature.arguments)
    whole = parse_switch(words["tuneable"])
    if whole is None:
        what = f"{feature.label}: tuneable={words['tuneable']}"
        raise feature.fault(path, what, "true or false")
    parts = words.get("tuneable-components", ",".join(["true"] * width))
    switches = [parse_switch(word) for word in parts.split(",") if word]
    if None in switches or len(switches) != width:
        what = f"{feature.label}: tuneable-components={parts}"
        raise feature.fault(path, what, f"{width} of 1 and 0, separated by commas")
    return [whole and bool(switch) for switch in switches]


def _feature_spec(feature: Feature, path: Path, table_limit: int | None) -> FeatureSpec:
    settings = feature.arguments
    for name, value in settings.items():
        if name in _FACTORS and value != "0":
            raise feature.fault(path, f"{feature.label}: only factor 0 is supported")
        if name in _SWITCHES.get(feature.kind, ()):
            if parse_switch(value) is not False:
                raise feature.fault(path, f"{feature.label}: {name}={value} is not supported")
        elif name not in FEATURES[feature.kind] | _GENERAL:
            raise feature.fault(path, f"{feature.label}: unknown setting {name}={value}")
    limit = _number(feature, "table-limit", path, TABLE_LIMIT, least=-LARGEST)
    return FeatureSpec(
        kind=feature.kind,
        label=feature.label,
        path=_file(feature, path),
        type=_setting(feature, "type", path) if "type" in FEATURES[feature.kind] else "",
        tuples=_choice(feature, "units", _UNITS, path) == "tuples",
        width=_width(feature, path),
        # A negative limit is none, as in Moses.
        table_limit=max(limit if table_limit is None else table_limit, 0),
        neural=neural_model(feature, path) if feature.kind == "NeuralLM" else None,
        classes=load_class_table(model_folder(feature, path))
        if feature.kind == "ClassLM"
        else None,
    )


def _width(feature: Feature, path: Path) -> int:
    """The number of scores that a feature says it has; 0: as its type says, or one."""
    width = _number(feature, "num-features", path, feature.kind == "PhraseDictionaryMemory")
    if width > _MOST_SCORES:
        what = f"{feature.label}: num-features={width}"
        raise feature.fault(path, what, f"at most {_MOST_SCORES:,}")
    if feature.kind in ("PhraseDictionaryMemory", "LexicalReordering"):
        return width
    if width not in (0, 1):
        raise feature.fault(path, f"{feature.label} has 1 value, not num-features={width}")
    return 0


def _file(feature: Feature, path: Path) -> str:
    """The file that the decoder itself reads; empty for features without one."""
    if feature.kind == "ClassLM":
        return str(model_folder(feature, path) / CLASSES)
    if feature.kind == "NeuralLM" or "path" not in FEATURES[feature.kind]:
        return ""
    return feature_file(feature, path)


def _choice(feature: Feature, name: str, values: tuple[str, ...], path: Path) -> str:
    """The value of a setting that has one of some values, the first where it is not given."""
    value = feature.arguments.get(name, values[0])
    if value not in values:
        what = f"{feature.label}: {name}={value}"
        raise feature.fault(path, what, " or ".join(values))
    return value


def score_files(ini: MosesIni, path: Path) -> list[ScoreFile | None]:
    """The file of kept scores of each neural model, in the order of the features, or None.

    Raises:
        InputError: as in `feature_specs`.
    """
    neural = [feature for feature in ini.features if feature.kind == "NeuralLM"]
    return [
        ScoreFile.of_model(
            Path(cache),
            model_folder(feature, path),
            _choice(feature, "scores", _SCORES, path),
            eight_bits=_eight_bits(feature, path),
        )
        if (cache := feature.arguments.get("cache"))
        else None
        for feature in neural
    ]


def neural_model(feature: Feature, path: Path) -> NeuralModel:
    """The model of a feature NeuralLM of the moses.ini at `path`.

    Raises:
        InputError: a setting is missing or wrong, a file missing or damaged.
    """
    return load_neural_model(
        model_folder(feature, path),
        normalised=_choice(feature, "scores", _SCORES, path) == "normalised",
        eight_bits=_eight_bits(feature, path),
        keep_products=_choice(feature, "products", _PRODUCTS, path) == "kept",
    )


def _eight_bits(feature: Feature, path: Path) -> bool:
    bits = feature.arguments.get("quantise")
    if bits not in (None, "8"):
        what = f"{feature.label}: quantise={bits}"
        raise feature.fault(path, what, "8, or no such setting")
    return bits == "8"


def model_folder(feature: Feature, path: Path) -> Path:
    """The folder of a feature of the moses.ini at `path`, relative to it or the working directory.

    Raises:
        InputError: the setting is missing, or no such folder.
    """
    return _found(feature, path, Path.is_dir, "folder", ("",))


def _setting(feature: Feature, name: str, path: Path) -> str:
    if name not in feature.arguments:
        raise feature.fault(path, f"{feature.label} ({feature.kind}) has no {name}=")
    return feature.arguments[name]


def feature_file(feature: Feature, path: Path) -> str:
    """The file of a feature of the moses.ini at `path`, relative to it or the working directory.

    Raises:
        InputError: the setting is missing, or no such file.
    """
    # Moses takes a reordering table by its name without .gz, too.
    found = _found(feature, path, Path.is_file, "file", ("", ".gz", *_BINARY))
    if found.name.endswith(_BINARY):
        what = f"{feature.label}: {feature.arguments['path']} is there as {found} alone"
        raise feature.fault(path, what, "give the text table, plain or .gz")
    return str(found)


def _found(
    feature: Feature, path: Path, is_there: Callable[[Path], bool], what: str, ends: Sequence[str]
) -> Path:
    """The first existing file, with one of these ends, of a feature of the moses.ini at `path`.

    It is relative to the working directory, as for Moses, or else to the folder of the moses.ini.
    """
    given = _setting(feature, "path", path)

    def below(folder: Path) -> Path | None:
        return next((name for end in ends if is_there(name := folder / f"{given}{end}")), None)

    here, beside = below(Path()), below(path.parent)
    if here is not None and beside is not None and not here.samefile(beside):
        _warn_of_two(path, Path.cwd(), path.absolute().parent)
    found = here or beside
    if found is not None:
        return found
    meant = next(filter(below, path.absolute().parents), None)
    hint = f"looked for in {Path.cwd()} and {path.absolute().parent}"
    if meant is not None:
        hint = f"its paths are right from {meant}: run the command there"
    raise feature.fault(path, f"{feature.label}: no such {what} {given}", hint)


@lru_cache
def _warn_of_two(ini: Path, here: Path, beside: Path) -> None:
    """Warn once that the paths of a moses.ini are right from two folders."""
    what = "%s: its paths are taken from %s, as by Moses; %s has files of these names, too"
    log.warning(what, ini, here, beside)


def _number(feature: Feature, name: str, path: Path, default: int, least: int = 0) -> int:
    try:
        given = feature.arguments.get(name)
        number = default if given is None else parse_whole(given)
        require(least <= number <= LARGEST, f"{number} is not from {least:,} to {LARGEST:,}")
    except ValueError as error:
        raise feature.fault(path, f"{feature.label}: {name}: {error}") from error
    return number


# Loaders of the models of feature functions, outside of the decoder, from a moses.ini at a path.
LANGUAGE_MODELS: Mapping[str, Callable[[Feature, Path], object]] = {
    "KENLM": lambda feature, path: NgramModel(feature_file(feature, path)),
    "ClassLM": lambda feature, path: ClassNgramModel.load(model_folder(feature, path)),
    "NeuralLM": neural_model,
}
