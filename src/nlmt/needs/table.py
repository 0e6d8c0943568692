"""The needs of each rule: curves through its points, and what is asked for because of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import ceil, inf

from nlmt.needs.curves import Curve, fit
from nlmt.needs.points import Point, read_points

# For Snakemake itself in a job on a cluster, which takes 320 to 410 MB.
OWN_MB = 500
MARGIN = 1.5
LEAST_MINUTES = 30
# Processors that are slower than the one of the points, shared, or given to fewer threads.
TIME_MARGIN = 4
# Processor seconds that make another thread worth while: starting a job alone takes one or two.
SECONDS_OF_THREAD = 10
# Megabytes for one of input, where one size tells nothing: about what lists and models take.
_UNKNOWN_SLOPE = 4.0
_MAPPED = "binary tables"
_BYTES = 1e6
_LEAST = 1e-3  # in place of a size or a time of zero
# Rules without points are downloads.
_UNMEASURED_MB = Curve(400, 0)
_UNMEASURED_SECONDS = Curve(10, 0)


@dataclass(frozen=True)
class Reads:
    """Which input files the needs of a rule grow with: those with one of these in their path.

    Attributes:
        memory: for memory; none: all files.
        time: for time and for what is written; none: all files.
        most_mb: memory that no input is too large for, as the step works in pieces.
        also: memory for each megabyte of input beside the curve, for vocabularies that grow with
            texts much larger than those of the points.
        power: of the size, in memory.
        written_power: of the size, in what is written.
    """

    memory: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    most_mb: float = inf
    also: float = 0
    power: float = 1.0
    written_power: float = 1.0


_TEXT = ("/text/", "/tuples/")
# Of texts that are hundreds of times larger: words grow about as the root of the text (Heaps), its
# n-grams more slowly than the text.
_WORDS, _NGRAMS = 0.5, 0.75
_DECODER = Reads(memory=("/tm/", "/lm/"), time=("/text/",))
_LISTS = Reads(time=(".nbest.gz",))
_LATTICES = Reads(time=(".lattices",))
# Not the models that training starts from or takes vectors of.
_LEARNT = ("/text/", "/texts/", "/tuples/", "classes/", "/tm/")
_READS = {
    "decode": _DECODER,
    "decode_lattices": _DECODER,
    "tune_weights": _DECODER,
    "measure_decoding": _DECODER,
    "measure_memory": Reads(memory=("/lm/",)),  # it loads each model
    "measure_perplexity": Reads(time=_TEXT),
    "measure_rescoring": _LISTS,
    "measure_search": _LATTICES,
    "rescore_nbest": Reads(time=("/decode/",)),  # not the list whose scores it takes over
    "rerank_nbest": _LISTS,
    "tune_reranking": _LISTS,
    "rescore_lattices": _LATTICES,
    "search_lattices": _LATTICES,
    # The phrases of the texts are held, not the tables.
    "filter_tables": Reads(memory=("/text/",), time=("/tm/",)),
    "binarise_tables": Reads(most_mb=8000),
    "extract_phrases": Reads(most_mb=24000),
    "extract_tuple_tables": Reads(most_mb=24000),
    # The words are held, not the text.
    "extract_bitext": Reads(most_mb=8000, also=1),
    "gather_text": Reads(most_mb=8000, also=0.25, power=_WORDS),
    "count_texts": Reads(most_mb=8000, also=0.25, power=_WORDS),
    "encode_text": Reads(most_mb=8000, also=0.25, power=_WORDS),
    "prepare_text": Reads(most_mb=2000),
    "prepare_monolingual": Reads(most_mb=2000),
    "cluster_words": Reads(power=_NGRAMS, written_power=_WORDS),
    # Of models it asks for the sizes.
    "write_papers_overview": Reads(memory=(".json",), time=(".json",)),
    "train_neural_lm": Reads(memory=_LEARNT, time=_LEARNT, written_power=_WORDS),
    "train_ngram_lm": Reads(written_power=_NGRAMS),
    "train_class_ngram_lm": Reads(written_power=_NGRAMS),
}
# Rules that do what another one does, with other files.
_LIKE = {
    "filter_shard": "filter_tables",
    "decode_shard": "decode",
    "write_shard_ini": "write_moses_ini",
    "write_set_ini": "write_moses_ini",
    "prepare_shard": "prepare_text",
    "gather_text_shards": "gather_shards",
    "encode_texts": "encode_text",
    "count_training_text": "count_texts",
    "cluster_source_words": "cluster_words",
    "cluster_tuples": "cluster_words",
    "count_requests": "rerank_nbest",
}


@dataclass(frozen=True)
class Need:
    """What jobs of one rule and kind need.

    Attributes:
        rule: whose points these are.
        kind: of jobs.
        reads: which input files they depend on.
        memory: megabytes by size; no point is above it.
        time: processor seconds by size.
        written: megabytes of each output file by size.
        points: that the curves were put through; none where none was measured.
    """

    rule: str
    kind: str
    reads: Reads
    memory: Curve
    time: Curve
    written: tuple[Curve, ...]
    points: tuple[Point, ...]

    def mem_mb(self, size: float) -> int:
        """Memory to ask for, for input files of that size in megabytes."""
        wanted = MARGIN * self.memory.at(size) + self.reads.also * size
        return int(OWN_MB + min(wanted, self.reads.most_mb))

    def minutes(self, size: float) -> int:
        """Time to ask for."""
        return int(LEAST_MINUTES + TIME_MARGIN * self.time.at(size) / 60)

    def threads(self, size: float, most: int) -> int:
        """Threads to ask for, up to the most that a job can use."""
        return min(max(1, ceil(self.time.at(size) / SECONDS_OF_THREAD)), most)


def base_rule(rule: str) -> str:
    """The rule whose points tell the needs of a rule."""
    # Models whose training writes other files have a numbered rule of their own.
    rule = re.sub(r"^(train_\w+_lm)_\d+$", r"\1", rule)
    return _LIKE.get(rule, rule)


def size_mb(paths: Iterable[tuple[str, float]], wanted: tuple[str, ...]) -> float:
    """Size of the files that have one of these in their paths; of all where none is given.

    Args:
        paths: with the sizes of the files in bytes.
        wanted: parts of paths.
    """
    chosen = (size for path, size in paths if not wanted or any(part in path for part in wanted))
    return sum(chosen) / _BYTES


def measured_kinds(rule: str) -> set[str]:
    """The kinds of jobs of a rule that have points."""
    return {point.kind for point in read_points() if point.rule == base_rule(rule)}


def reads_of(rule: str) -> Reads:
    """Which input files the needs of a rule grow with."""
    return _READS.get(base_rule(rule), Reads())


@cache
def need(rule: str, kind: str = "") -> Need:
    """What jobs of a rule need.

    Args:
        rule: its name.
        kind: of jobs; one without points of two sizes has the curves of all jobs of the rule.
    """
    base = base_rule(rule)
    of_rule = [point for point in read_points() if point.rule == base]
    if not of_rule:
        return Need(base, kind, reads_of(rule), _UNMEASURED_MB, _UNMEASURED_SECONDS, (), ())
    points = [point for point in of_rule if point.kind == kind]
    if len({point.part for point in points}) < 2:  # of one size, nothing is known of growth
        points = of_rule
    memory = [(point.memory_size_mb, point.memory_mb) for point in points]
    curve = fit(memory, (reads_of(rule).power,)).raised(memory)
    if len({point.part for point in points}) == 1:
        curve = Curve(curve.fixed, max(curve.slope, _UNKNOWN_SLOPE))
    if _MAPPED in kind and curve.slope > 1:  # no more of a file can be in memory than there is
        curve = Curve(max(used - size for size, used in memory), 1.0)
    time = [(point.time_size_mb, max(point.cpu_seconds, _LEAST)) for point in points]
    sizes = zip(*(point.written_mb for point in points), strict=False)
    return Need(
        rule=base,
        kind=kind,
        reads=reads_of(rule),
        memory=curve,
        time=fit(time, (1.0, 1.25)),
        written=tuple(_written(points, some) for some in sizes),
        points=tuple(points),
    )


def _written(points: list[Point], sizes: tuple[float, ...]) -> Curve:
    """Of an output file."""
    rule = points[0].rule
    # The time of training is over the work, not the size.
    over = [p.memory_size_mb if rule.startswith("train_") else p.time_size_mb for p in points]
    return fit(
        [(size, max(written, _LEAST)) for size, written in zip(over, sizes, strict=True)],
        (reads_of(rule).written_power,),
    )
