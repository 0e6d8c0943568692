"""What a moses.ini says, checked: search settings, feature functions, weights.

A section or setting that the decoder does not know is an error that names it, never passed over:
a search that quietly differs from the one that was asked for is worse than none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from nlmt.decoder._decoder import FeatureSpec, MarkupPolicy, NeuralModel
from nlmt.decoder.neural_models import load_neural_model
from nlmt.decoder.score_files import ScoreFile
from nlmt.errors import InputError
from nlmt.io.moses_ini import Feature, MosesIni

# class of a feature function: the settings it may have beside `name` (and `tuneable`)
FEATURES: Mapping[str, frozenset[str]] = {
    "UnknownWordPenalty": frozenset(),
    "WordPenalty": frozenset(),
    "PhrasePenalty": frozenset(),
    "Distortion": frozenset(),
    "PhraseDictionaryMemory": frozenset(
        ["num-features", "path", "table-limit", "input-factor", "output-factor"]
    ),
    "LexicalReordering": frozenset(
        ["num-features", "path", "type", "input-factor", "output-factor"]
    ),
    "KENLM": frozenset(["path", "order", "factor", "lazyken", "load"]),
    "NeuralLM": frozenset(["path", "scores", "cache"]),
}
# what -xml-input says about tags in the input
MARKUP: Mapping[str, MarkupPolicy] = {
    "pass-through": MarkupPolicy.PASS_THROUGH,
    "ignore": MarkupPolicy.IGNORE,
    "exclusive": MarkupPolicy.EXCLUSIVE,
    "inclusive": MarkupPolicy.INCLUSIVE,
    "constraint": MarkupPolicy.CONSTRAINT,
}
TABLE_LIMIT = 20
# of Moses; here they change nothing
IDLE = ("clean-lm-cache", "description", "persistent-cache-size", "use-persistent-cache")
LARGEST = 10**9  # of any count or weight that is asked for
SECTIONS = (
    "input-factors",
    "inputtype",
    "mapping",
    "decoding-graph-backoff",
    "search-algorithm",
    "stack",
    "cube-pruning-pop-limit",
    "beam-threshold",
    "distortion-limit",
    "max-trans-opt-per-coverage",
    "ttable-limit",
    "drop-unknown",
    "xml-input",
    "monotone-at-punctuation",
    "threads",
    "verbose",
    *IDLE,
)
_FACTORS = ("input-factor", "output-factor", "factor")
_UNTUNED = "UnknownWordPenalty"


@dataclass(frozen=True)
class SearchOptions:
    """How to search; the defaults are Moses'.

    Attributes:
        cube_pruning: cube pruning (`-search-algorithm 1`), not plain stacks (0).
        stack: hypotheses kept a stack (`-s`).
        pop_limit: hypotheses that cube pruning makes a stack (`-cube-pruning-pop-limit`).
        beam_threshold: a hypothesis stays whose estimate, as a probability, is at least this part
            of the best one of its stack (`-b`); 0 keeps all.
        distortion_limit: words from the end of one source phrase to the next (`-dl`); -1: any.
        max_options_per_span: translations a source span, all tables together
            (`-max-trans-opt-per-coverage`).
        drop_unknown: leave out unknown words instead of copying them; numbers stay
            (`-drop-unknown`).
        xml_input: what tags in the input are (`-xml-input`). `pass-through`: words; `ignore`:
            dropped; else walls, zones and translations: `exclusive`, nothing else may overlap;
            `inclusive`, the tables' compete; `constraint`, the tables' must contain them.
        monotone_at_punctuation: walls before and behind , . ! ? : ; and "
            (`-monotone-at-punctuation`).
    """

    cube_pruning: bool = False
    stack: int = 200
    pop_limit: int = 1000
    beam_threshold: float = 1e-5
    distortion_limit: int = -1
    max_options_per_span: int = 50
    drop_unknown: bool = False
    xml_input: str = "pass-through"
    monotone_at_punctuation: bool = False

    def __post_init__(self) -> None:
        for name in ("stack", "pop_limit", "max_options_per_span"):
            if not 1 <= getattr(self, name) <= LARGEST:
                hint = f"from 1 to {LARGEST:,}"
                raise InputError(f"{name} is {getattr(self, name)}", hint=hint)
        if abs(self.distortion_limit) > LARGEST:
            hint = f"at most {LARGEST:,}; -1: no limit"
            raise InputError(f"distortion_limit is {self.distortion_limit}", hint=hint)
        if not 0 <= self.beam_threshold <= 1:
            raise InputError(f"beam_threshold is {self.beam_threshold}", hint="from 0 to 1")
        if self.xml_input not in MARKUP:
            raise InputError(f"xml_input is {self.xml_input}", hint=f"one of {', '.join(MARKUP)}")

    def flags(self) -> list[str]:
        """The same as flags of Moses."""
        return [
            *("-search-algorithm", str(int(self.cube_pruning))),
            *("-stack", str(self.stack)),
            *("-cube-pruning-pop-limit", str(self.pop_limit)),
            *("-beam-threshold", str(self.beam_threshold)),
            *("-distortion-limit", str(self.distortion_limit)),
            *("-max-trans-opt-per-coverage", str(self.max_options_per_span)),
            *(["-drop-unknown"] if self.drop_unknown else []),
            *("-xml-input", self.xml_input),
            *(["-monotone-at-punctuation"] if self.monotone_at_punctuation else []),
        ]


def search_options(ini: MosesIni, path: Path | str) -> tuple[SearchOptions, int | None]:
    """Search settings of the plain sections, and the limit on translations a source phrase if set.

    Raises:
        InputError: a section that the decoder does not know, or a value that does not fit.
    """
    options = SearchOptions()
    table_limit = None
    for section, values in ini.sections.items():
        try:
            match section:
                case "input-factors":
                    _require(all(value == "0" for value in values), "only factor 0 is supported")
                case "mapping" | "decoding-graph-backoff":
                    pass  # see decoding_paths
                case "xml-input":
                    options = replace(options, xml_input=_only(values))
                case "search-algorithm":
                    number = _whole(values)
                    _require(number in (0, 1), "0 is stacks, 1 is cube pruning")
                    options = replace(options, cube_pruning=number == 1)
                case "stack":
                    options = replace(options, stack=_whole(values))
                case "cube-pruning-pop-limit":
                    options = replace(options, pop_limit=_whole(values))
                case "beam-threshold":
                    options = replace(options, beam_threshold=float(_only(values)))
                case "distortion-limit":
                    options = replace(options, distortion_limit=_whole(values))
                case "max-trans-opt-per-coverage":
                    options = replace(options, max_options_per_span=_whole(values))
                case "drop-unknown":
                    options = replace(options, drop_unknown=_flag(values))
                case "monotone-at-punctuation":
                    options = replace(options, monotone_at_punctuation=_flag(values))
                case "ttable-limit":
                    table_limit = _whole(values)
                case "inputtype":
                    _require(list(values) == ["0"], "only text (0) is supported")
                case section if section in IDLE or section in ("threads", "verbose"):
                    pass  # changes no result, or is the caller's to say
                case _:
                    raise ValueError(f"the decoder does not know this section{near(section)}")
        except ValueError as error:
            raise InputError(f"[{section}]: {error}", path=path) from error
    return options, table_limit


def near(name: str, known: Iterable[str] = SECTIONS) -> str:
    """The name that was perhaps meant, as the end of a message."""
    found = get_close_matches(name, known, 1)
    return f", perhaps {found[0]}" if found else ""


def decoding_paths(ini: MosesIni, path: Path) -> list[tuple[int, int]]:
    """Tables in the order of `[mapping]`, each with its `[decoding-graph-backoff]`.

    A path with back-off n > 0 translates spans of up to n words for which the paths before it have
    nothing; one with 0, and the first one, all spans. Without `[mapping]` each table is a path.

    Raises:
        InputError: steps other than one table a path, a table that is in none or not there.
    """
    labels = [f.label for f in ini.features if f.kind == "PhraseDictionaryMemory"]
    backoffs = ini.sections.get("decoding-graph-backoff", [])
    try:
        tables = list(range(len(labels)))
        if "mapping" in ini.sections:
            tables = [
                _mapped_table(step, number, labels)
                for number, step in enumerate(ini.sections["mapping"])
            ]
            for number, label in enumerate(labels):
                _require(tables.count(number) == 1, f"{label} is in {tables.count(number)} paths")
    except ValueError as error:
        hint = "one path a table: 0 T 0, 1 T 1 ..."
        raise InputError(f"[mapping]: {error}", path=path, hint=hint) from error
    try:
        _require(len(backoffs) in (0, len(tables)), f"{len(backoffs)} values, {len(tables)} paths")
        limits = [int(backoff) for backoff in backoffs] or [0] * len(tables)
        _require(min(limits, default=0) >= 0, "not negative")
    except ValueError as error:
        raise InputError(f"[decoding-graph-backoff]: {error}", path=path) from error
    return list(zip(tables, limits, strict=True))


def _mapped_table(step: str, path: int, labels: Sequence[str]) -> int:
    """The table of `0 T 0`, `T 0` or `0 TranslationModel0`, which must be the path's only step."""
    graph, table = "0", ""
    match step.split():
        case [graph, "T", table]:
            pass
        case ["T", table]:
            pass
        case [graph, label]:
            table = str(labels.index(label)) if label in labels else label
    _require(
        table.isdecimal() and int(table) < len(labels), f"'{step}' is no step of translation here"
    )
    _require(graph == str(path), f"'{step}' is not the one step of path {path}")
    return int(table)


def feature_specs(ini: MosesIni, path: Path, table_limit: int | None) -> list[FeatureSpec]:
    """The feature functions as the decoder loads them.

    Files are looked for where the command runs, as Moses does, then beside the moses.ini.

    Raises:
        InputError: an unknown feature or setting, one that is missing, a file that is not there.
    """
    if not ini.features:
        raise InputError("no [feature] section", path=path)
    if table_limit is not None and not 0 <= table_limit <= LARGEST:
        hint = f"from 1 to {LARGEST:,}; 0: all"
        raise InputError(f"a table limit of {table_limit}", path=path, hint=hint)
    labels = [feature.label for feature in ini.features]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"two features go by {label}", path=path, hint="name one of them anew")
    if not any(feature.kind == "PhraseDictionaryMemory" for feature in ini.features):
        raise InputError("no PhraseDictionaryMemory, so nothing to translate with", path=path)
    try:
        return [_feature_spec(feature, path, table_limit) for feature in ini.features]
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{error.filename!s:.200}: {error.strerror}", path=path) from error


def flat_weights(
    features: Sequence[tuple[str, str, int]],
    weights: Mapping[str, Sequence[float]],
    path: Path | str | None = None,
) -> list[float]:
    """One weight for each value of each feature; UnknownWordPenalty may lack its own, 1.

    Args:
        features: kind, label and number of values of each feature.
        weights: label to weights.
        path: the file that the weights come from, for messages.

    Raises:
        InputError: no weights for a feature, the wrong number, or weights for no feature.
    """
    flat: list[float] = []
    for label in weights:
        if label not in (known for _, known, _ in features):
            hint = f"there are {', '.join(known for _, known, _ in features)}"
            raise InputError(f"weights for {label}, but no such feature", path=path, hint=hint)
    for kind, label, width in features:
        values = weights.get(label, [1.0] if kind == _UNTUNED else None)
        if values is None:
            raise InputError(f"no weights for the feature {label}", path=path)
        if len(values) != width:
            raise InputError(
                f"{label} has {width} value{'s' * (width > 1)}, but {len(values)} weights",
                path=path,
            )
        if not all(abs(value) <= LARGEST for value in values):
            raise InputError(
                f"a weight of {label} is not a number, or too large",
                path=path,
                hint=f"at most {LARGEST:,}",
            )
        flat.extend(values)
    return flat


def _feature_spec(feature: Feature, path: Path, table_limit: int | None) -> FeatureSpec:
    if feature.kind not in FEATURES:
        known = f"there are {', '.join(FEATURES)}"
        guess = near(feature.kind, FEATURES)
        raise InputError(f"unknown feature {feature.kind}{guess}", path=path, hint=known)
    settings = feature.arguments
    for name, value in settings.items():
        if name not in FEATURES[feature.kind] | {"name", "tuneable"}:
            raise InputError(f"{feature.label}: unknown setting {name}={value}", path=path)
        if name in _FACTORS and value != "0":
            raise InputError(f"{feature.label}: only factor 0 is supported", path=path)
    limit = _number(feature, "table-limit", path, TABLE_LIMIT)
    neural = feature.kind == "NeuralLM"
    return FeatureSpec(
        kind=feature.kind,
        label=feature.label,
        path=_file(feature, path) if "path" in FEATURES[feature.kind] and not neural else "",
        type=_setting(feature, "type", path) if "type" in FEATURES[feature.kind] else "",
        width=_number(feature, "num-features", path, feature.kind == "PhraseDictionaryMemory"),
        table_limit=limit if table_limit is None else table_limit,
        neural=_neural_model(feature, path) if neural else None,
    )


def score_files(ini: MosesIni, path: Path) -> list[ScoreFile | None]:
    """Where each neural model keeps its scores, in the order of the features; None: nowhere.

    Raises:
        InputError: as `feature_specs`.
    """
    neural = [feature for feature in ini.features if feature.kind == "NeuralLM"]
    return [
        ScoreFile.of_model(
            Path(cache), _model_folder(feature, path), _kind_of_scores(feature, path)
        )
        if (cache := feature.arguments.get("cache"))
        else None
        for feature in neural
    ]


def _neural_model(feature: Feature, path: Path) -> NeuralModel:
    normalised = _kind_of_scores(feature, path) == "normalised"
    return load_neural_model(_model_folder(feature, path), normalised=normalised)


def _kind_of_scores(feature: Feature, path: Path) -> str:
    scores = feature.arguments.get("scores", "normalised")
    if scores not in ("normalised", "unnormalised"):
        what = f"{feature.label}: scores={scores}"
        raise InputError(what, path=path, hint="normalised or unnormalised")
    return scores


def _model_folder(feature: Feature, path: Path) -> Path:
    given = Path(_setting(feature, "path", path))
    for folder in (given, path.parent / given):
        if folder.is_dir():
            return folder
    raise InputError(f"{feature.label}: no such folder {given}", path=path)


def _setting(feature: Feature, name: str, path: Path) -> str:
    if name not in feature.arguments:
        raise InputError(f"{feature.label} ({feature.kind}) has no {name}=", path=path)
    return feature.arguments[name]


def _file(feature: Feature, path: Path) -> str:
    given = Path(_setting(feature, "path", path))
    # Moses also takes a table by its name without .gz.
    for folder in (Path(), path.parent):
        for name in (given, Path(f"{given}.gz")):
            if (folder / name).is_file():
                return str(folder / name)
    raise InputError(f"{feature.label}: no such file {given}", path=path)


def _number(feature: Feature, name: str, path: Path, default: int) -> int:
    try:
        number = int(feature.arguments.get(name, default))
        _require(0 <= number <= LARGEST, f"{number} is not from 0 to {LARGEST:,}")
    except ValueError as error:
        raise InputError(f"{feature.label}: {name}: {error}", path=path) from error
    return number


def _only(values: Sequence[str]) -> str:
    _require(len(values) == 1, f"one value expected, not {len(values)}")
    return values[0]


def _whole(values: Sequence[str]) -> int:
    return int(_only(values))


def _flag(values: Sequence[str]) -> bool:
    # A section without a value switches on.
    _require(list(values) in ([], ["true"], ["1"], ["false"], ["0"]), "true or false")
    return list(values) in ([], ["true"], ["1"])


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)
