"""Search settings and decoding paths of a moses.ini, checked.

An unknown section is an error that names it, as in Moses: ignoring it could silently change the
requested search.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from nlmt.decoder.search_options import SearchOptions
from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number, parse_number, parse_whole, split_fields
from nlmt.io.moses_ini import MosesIni
from nlmt.registry import closest

# of Moses; without effect here
IDLE = ("clean-lm-cache", "description", "persistent-cache-size", "use-persistent-cache")
# Of Moses, too: for its memory, its server, charts, and lists and steps that are none of ours.
_IDLE = """
    cube-pruning-deterministic-search disable-discarding link-param-count max-chart-span
    max-partial-trans-opt minlexr-memory minphr-memory n-best-factor no-cache serial
    server-keepalive-maxconn server-keepalive-timeout server-log server-maxconn
    server-maxconn-backlog server-port server-timeout session-cache-size session-timeout threads
    unknown-word-prefix unknown-word-suffix verbose
""".split()  # noqa: SIM905
# Of Moses; they may stand where they are off, as they are by default.
_OFF = """
    always-create-direct-transopt consensus-decoding continue-partial-translation
    cube-pruning-diversity cube-pruning-lazy-scoring early-discarding-threshold
    early-distortion-cost lattice-hypo-set lminimum-bayes-risk lmodel-oov-feature mark-unknown
    minimum-bayes-risk output-hypo-score phrase-drop-allowed print-id print-passthrough
    print-passthrough-in-n-best recover-input-path report-all-factors report-all-factors-in-n-best
    report-segmentation report-segmentation-enriched segment-time-out sort-word-alignment
    stack-diversity time-out translation-option-threshold
""".split()  # noqa: SIM905
# Of Moses; what to read and write, which is asked for on the command line here.
_FLAGS = """
    alignment-output-file include-segmentation-in-n-best input-file labeled-n-best-list
    lmbr-map-weight lmbr-p lmbr-pruning-factor lmbr-r lmbr-thetas mbr-scale mbr-size n-best-list
    output-search-graph output-search-graph-extended output-search-graph-hypergraph
    output-search-graph-slf output-unknowns print-alignment-info print-alignment-info-in-n-best
    start-translation-id
""".split()  # noqa: SIM905
_TRUE, _FALSE = ("true", "yes", "y", "1"), ("false", "no", "n", "0")
LONGEST_PHRASE = 20  # words of the source that Moses looks up unless told otherwise
SECTIONS = (
    "input-factors",
    "output-factors",
    "inputtype",
    "mapping",
    "decoding-graph-backoff",
    "search-algorithm",
    "stack",
    "cube-pruning-pop-limit",
    "beam-threshold",
    "distortion-limit",
    "max-phrase-length",
    "max-trans-opt-per-coverage",
    "ttable-limit",
    "drop-unknown",
    "xml-input",
    "monotone-at-punctuation",
    "recombination-context",  # not in Moses
    *IDLE,
    *_IDLE,
    *_OFF,
)


def read_search(ini: MosesIni, path: Path | str) -> tuple[SearchOptions, int | None]:
    """Search settings of the plain sections, and the limit on translations per phrase, if set.

    Raises:
        InputError: an unknown section, or a value that does not fit.
    """
    options = SearchOptions()
    table_limit = None
    for section, values in ini.sections.items():
        if not values:
            continue  # as if it were not there, also in Moses
        try:
            match section:
                case "input-factors" | "output-factors":
                    require(all(value == "0" for value in values), "only factor 0 is supported")
                case "mapping" | "decoding-graph-backoff":
                    pass  # see decoding_paths
                case "xml-input":
                    options = replace(options, xml_input=_only(values))
                case "search-algorithm":
                    number = _whole(values)
                    require(number in (0, 1), "0 is stacks, 1 is cube pruning")
                    options = replace(options, cube_pruning=number == 1)
                case "stack":
                    options = replace(options, stack=_whole(values))
                case "cube-pruning-pop-limit":
                    options = replace(options, pop_limit=_whole(values))
                case "beam-threshold":
                    options = replace(options, beam_threshold=parse_number(_only(values)))
                case "distortion-limit":
                    options = replace(options, distortion_limit=_whole(values))
                case "max-trans-opt-per-coverage":
                    options = replace(options, max_options_per_span=_whole(values))
                case "max-phrase-length":
                    least = f"only {LONGEST_PHRASE} or more is supported"
                    require(not 0 <= _whole(values) < LONGEST_PHRASE, least)
                case "drop-unknown":
                    options = replace(options, drop_unknown=_flag(values))
                case "monotone-at-punctuation":
                    options = replace(options, monotone_at_punctuation=_flag(values))
                case "recombination-context":
                    options = replace(options, recombination_context=_whole(values))
                case "ttable-limit":
                    table_limit = _whole(values)
                case "inputtype":
                    require(list(values) == ["0"], "only text (0) is supported")
                case section if section in IDLE or section in _IDLE:
                    pass  # changes no result, or is set by the caller
                case section if section in _OFF:
                    off = [value == "-1" or parse_switch(value) is False for value in values]
                    require(off == [True], "only 0 or false is supported")
                case section if section in _FLAGS:
                    raise ValueError(f"remove it, and give nlmt decode the flag -{section}")
                case _:
                    raise ValueError(f"the decoder does not know this section{near(section)}")
        except ValueError as error:
            raise _fault(ini, section, path, error) from error
    return options, table_limit


def decoding_paths(ini: MosesIni, path: Path) -> list[tuple[int, int]]:
    """Tables in the order of `[mapping]`, each with its `[decoding-graph-backoff]`.

    A path with back-off n > 0 translates spans of up to n words for which the paths before it have
    no translation; one with 0, and the first one, translates all spans. Without `[mapping]` each
    table is a path.

    Raises:
        InputError: steps other than one table per path, a table that is in no path or missing.
    """
    labels = [f.label for f in ini.features if f.kind == "PhraseDictionaryMemory"]
    backoffs = ini.sections.get("decoding-graph-backoff", [])
    try:
        tables = list(range(len(labels)))
        if ini.sections.get("mapping"):
            tables = [
                _mapped_table(step, number, labels)
                for number, step in enumerate(ini.sections["mapping"])
            ]
            for number, label in enumerate(labels):
                require(tables.count(number) == 1, f"{label} is in {tables.count(number)} paths")
    except ValueError as error:
        hint = "one path for each table: 0 T 0, 1 T 1 ..."
        raise _fault(ini, "mapping", path, error, hint) from error
    try:
        require(len(backoffs) in (0, len(tables)), f"{len(backoffs)} values, {len(tables)} paths")
        limits = [parse_whole(backoff) for backoff in backoffs] or [0] * len(tables)
        require(min(limits, default=0) >= 0, "not negative")
    except ValueError as error:
        raise _fault(ini, "decoding-graph-backoff", path, error) from error
    return list(zip(tables, limits, strict=True))


def _fault(
    ini: MosesIni, section: str, path: Path | str, error: ValueError, hint: str = ""
) -> InputError:
    """The error for the values of a section of the moses.ini at `path`."""
    return InputError(f"[{section}]: {error}", path=path, line=ini.places.get(section), hint=hint)


def _mapped_table(step: str, path: int, labels: Sequence[str]) -> int:
    """The table of `0 T 0`, `T 0` or `0 TranslationModel0`, which must be the path's only step."""
    graph, table = "0", ""
    match split_fields(step):
        case [graph, "T", table]:
            pass
        case ["T", table]:
            pass
        case [graph, label]:
            table = str(labels.index(label)) if label in labels else label
    require(
        is_whole_number(table) and int(table) < len(labels),
        f"'{step}' is not a step of translation here",
    )
    require(graph == str(path), f"'{step}' is not the only step of path {path}")
    return int(table)


def near(name: str, known: Iterable[str] = SECTIONS) -> str:
    """The nearest known name, as the end of a message; empty if none is near."""
    found = closest(name, known)
    return f", perhaps {found}" if found else ""


def _only(values: Sequence[str]) -> str:
    require(len(set(values)) == 1, f"one value expected, not {len(values)}")
    return values[0]


def _whole(values: Sequence[str]) -> int:
    return parse_whole(_only(values))


def _flag(values: Sequence[str]) -> bool:
    found = parse_switch(_only(values))
    require(found is not None, "true or false")
    return bool(found)


def parse_switch(word: str) -> bool | None:
    """Return the truth value that Moses reads from a word; None for any other word."""
    word = word.lower()
    return True if word in _TRUE else False if word in _FALSE else None


def require(condition: bool, otherwise: str) -> None:
    """Raise ValueError with the text `otherwise` where a condition does not hold."""
    if not condition:
        raise ValueError(otherwise)
