"""The needs of each rule: curves through its points, and the resulting requests."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil, inf

from nlmt.needs.curves import Curve, fit
from nlmt.needs.points import Point, read_points

# Memory of Snakemake itself in a job on a cluster, where it takes 320 to 410 MB.
OWN_MB = 500
MARGIN = 1.5
LEAST_MINUTES = 30
# Margin for slower or shared processors, or fewer threads, than at the measured points.
TIME_MARGIN = 4
# Processor seconds that are worth another thread: just starting a job takes one or two.
SECONDS_OF_THREAD = 10
# Megabytes per megabyte of input where only one size was measured: about that of lists and models.
_UNKNOWN_SLOPE = 4.0
_MAPPED = "binary tables"
_BYTES = 1e6
_LEAST = 1e-3  # replaces a size or time of zero
# Rules without points are downloads, and one that writes settings.
_UNMEASURED_MB = Curve(400, 0)
_UNMEASURED_SECONDS = Curve(10, 0)


@dataclass(frozen=True)
class Reads:
    """Input files with which the needs of a rule grow, by parts of their paths.

    Attributes:
        memory: for memory; none: all files.
        time: for time and for what is written; none: all files.
        most_mb: memory that no input is too large for, as the step works in pieces.
        most_time_mb: input of which the step uses no more, so that time does not grow beyond it.
        also: memory for each megabyte of input beside the curve, for vocabularies and processes
            that texts much larger than those of the points need.
        power: of the size, in memory.
        written_power: of the size, in what is written.
        scores_per_mb: distinct scores of models for each megabyte of input.
        scratch_per_mb: megabytes of temporary files for each megabyte of input, at most.
    """

    memory: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    most_mb: float = inf
    most_time_mb: float = inf
    also: float = 0
    power: float = 1.0
    written_power: float = 1.0
    scores_per_mb: float = 0.0
    scratch_per_mb: float = 0.0


_TEXT = ("/text/", "/tuples/")
# For texts hundreds of times larger: words grow about as the square root of the text (Heaps),
# n-grams more slowly than the text.
_WORDS, _NGRAMS = 0.5, 0.75
_DECODER = Reads(memory=("/tm/", "/lm/"), time=("/text/",))
_LISTS = Reads(time=(".nbest.gz",))
# So many that the models of the points take, by their operations, about the measured time.
_LATTICES = Reads(time=(".lattices",), scores_per_mb=200_000)
# Not the models from which training starts or takes vectors. Time is by `Model.time_mb`.
_LEARNT = ("/text/", "/texts/", "/tuples/", "classes/", "/tm/")
_READS = {
    "decode": _DECODER,
    "decode_lattices": _DECODER,
    "tune_weights": _DECODER,
    "measure_decoding": _DECODER,
    "measure_memory": Reads(memory=("/lm/",)),  # it loads each model
    "measure_perplexity": Reads(time=_TEXT),
    "measure_training": Reads(most_time_mb=6),  # three million numbers of words
    "measure_rescoring": _LISTS,
    "measure_search": Reads(time=(".lattices",)),
    # Not the list from which it takes scores.
    "rescore_nbest": Reads(time=("/decode/",), scores_per_mb=50_000),
    "rerank_nbest": _LISTS,
    "tune_reranking": _LISTS,
    "rescore_lattices": _LATTICES,
    "search_lattices": _LATTICES,
    # The phrases of the texts are in memory, not the tables.
    "filter_tables": Reads(memory=("/text/",), time=("/tm/",)),
    # A line has some 42 bytes in the compressed tables, 94 in the binary one, up to 188 in
    # temporary files. The 6 x 10^9 phrases of 40 million sentence pairs, 6 GB, have 400 GB of them.
    "binarise_tables": Reads(most_mb=8000, scratch_per_mb=4.5),
    "extract_phrases": Reads(most_mb=24000, scratch_per_mb=75),
    "extract_tuple_tables": Reads(most_mb=24000, scratch_per_mb=10),  # 0.8 x 10^9 tuples
    "attach_unlinked_words": Reads(memory=("lex.f2e",), also=8),
    # The words are in memory, not the text.
    "extract_bitext": Reads(most_mb=8000, also=1),
    "gather_text": Reads(most_mb=8000, also=0.25, power=_WORDS),
    "count_texts": Reads(most_mb=8000, also=0.25, power=_WORDS),
    "encode_text": Reads(most_mb=8000, also=0.25, power=_WORDS),
    "prepare_text": Reads(most_mb=2000),
    "prepare_monolingual": Reads(most_mb=2000, also=1),
    "cluster_words": Reads(power=_NGRAMS, written_power=_WORDS),
    # It needs only the sizes of models.
    "write_papers_overview": Reads(memory=(".json",), time=(".json",)),
    "train_neural_lm": Reads(memory=_LEARNT, written_power=_WORDS),
    "train_ngram_lm": Reads(most_mb=24000, written_power=_NGRAMS),
    "train_class_ngram_lm": Reads(written_power=_NGRAMS),
    # sentencepiece holds the text with its suffix array, some 20 bytes a character.
    "train_pieces": Reads(also=60),
}
# Rules that do the same as another one, with other files.
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
    "import_list": "rerank_nbest",
    "train_truecaser": "prepare_monolingual",
    "train_pieces": "prepare_monolingual",
    "train_recaser": "train_ngram_lm",
    "finish_translations": "prepare_reference",
}


@dataclass(frozen=True)
class Need:
    """The needs of jobs of one rule and kind.

    Attributes:
        reads: the input files on which they depend.
        memory: megabytes by size; no point is above the curve.
        time: processor seconds by size, within the points.
        points: of the curves; none if none was measured.
    """

    reads: Reads
    memory: Curve
    time: Curve
    points: tuple[Point, ...]

    @cached_property
    def written(self) -> tuple[Curve, ...]:
        """Megabytes of each output file by size; only estimates ask for them."""
        # Training time depends on the work, not the size.
        over = [
            point.memory_size_mb if point.rule.startswith("train_") else point.time_size_mb
            for point in self.points
        ]
        files = zip(*(point.written_mb for point in self.points), strict=False)
        written = ([max(size, _LEAST) for size in sizes] for sizes in files)
        powers = (self.reads.written_power,)
        return tuple(fit([*zip(over, sizes, strict=True)], powers) for sizes in written)

    def mem_mb(self, size: float) -> int:
        """Memory to request, for input files of this size in megabytes."""
        wanted = MARGIN * self.memory.at(size) + self.reads.also * size
        return int(OWN_MB + min(wanted, self.reads.most_mb))

    def seconds(self, size: float, score_seconds: float = 0.0) -> float:
        """Processor time; beyond the points, in proportion to the size if they show no growth.

        There, starting the job hides it. Models that take `score_seconds` for a score may be larger
        than those of the points.
        """
        largest = max((point.time_size_mb for point in self.points), default=0.0)
        grows = self.time.slope > 0 or largest == 0
        size = min(size, self.reads.most_time_mb)
        measured = self.time.at(size) * (1.0 if grows else max(1.0, size / largest))
        return max(measured, size * self.reads.scores_per_mb * score_seconds)

    def minutes(self, size: float, score_seconds: float = 0.0) -> int:
        """Time to request."""
        return int(LEAST_MINUTES + TIME_MARGIN * self.seconds(size, score_seconds) / 60)

    def scratch_mb(self, size: float) -> int:
        """Temporary files to request disk for."""
        return int(self.reads.scratch_per_mb * size)

    def threads(self, size: float, most: int) -> int:
        """Threads to request, up to the largest number that a job can use."""
        return min(max(1, ceil(self.seconds(size) / SECONDS_OF_THREAD)), most)


def base_rule(rule: str) -> str:
    """The rule whose points determine the needs of a rule."""
    # Models whose training writes other files have a numbered rule of their own.
    rule = re.sub(r"^(train_\w+_lm)_\d+$", r"\1", rule)
    return _LIKE.get(rule, rule)


def size_mb(paths: Iterable[tuple[str, float]], wanted: tuple[str, ...]) -> float:
    """Megabytes of files, given with their bytes, with one of `wanted` in the path, or of all."""
    chosen = (size for path, size in paths if not wanted or any(part in path for part in wanted))
    return sum(chosen) / _BYTES


@cache
def need(rule: str, kind: str = "") -> Need:
    """The needs of jobs of a rule.

    A kind without points of two sizes has the curves of all jobs of the rule.
    """
    base = base_rule(rule)
    reads = _READS.get(rule, _READS.get(base, Reads()))
    of_rule = [point for point in read_points() if point.rule == base]
    if not of_rule:
        return Need(reads, _UNMEASURED_MB, _UNMEASURED_SECONDS, ())
    points = [point for point in of_rule if point.kind == kind]
    if len({point.part for point in points}) < 2:  # one size tells nothing of growth
        points = of_rule
    memory = [(point.memory_size_mb, point.memory_mb) for point in points]
    curve = fit(memory, (reads.power,)).raised(memory)
    if len({point.part for point in points}) == 1:
        curve = Curve(curve.fixed, max(curve.slope, _UNKNOWN_SLOPE))
    if _MAPPED in kind and curve.slope > 1:  # a file cannot take more memory than its size
        curve = Curve(max(used - size for size, used in memory), 1.0)
    time = [(point.time_size_mb, max(point.cpu_seconds, _LEAST)) for point in points]
    return Need(reads, curve, fit(time, (1.0, 1.25)), tuple(points))
