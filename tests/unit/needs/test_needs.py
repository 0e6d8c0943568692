"""The measured points suffice for the rules, and every rule has some, or is named here."""

import re
from pathlib import Path

import pytest

from nlmt.needs import PARTS, Curve, Point, format_points, need, read_points, size_mb
from nlmt.needs.table import LEAST_MINUTES, MARGIN, OWN_MB, TIME_MARGIN, Need, Reads, base_rule

ROOT = Path(__file__).parents[3]
RULES = sorted((ROOT / "rules").rglob("*.smk"))
# Downloads wait for the network; the systems are settings alone.
UNMEASURED = {"download", "download_corpus", "write_systems"}


def rules_with_scripts() -> set[str]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in RULES)
    blocks = re.split(r"^ *(?=(?:use )?rule\b)", text, flags=re.MULTILINE)
    found = set()
    for block in blocks:
        named = re.match(r"(?:use rule \w+ as|rule) (\w+)( with)?:", block)
        if named and (named[2] or re.search(r"^ +script:", block, re.MULTILINE)):
            found.add(named[1])
    return found


def test_every_rule_has_points_or_is_known_to_have_none() -> None:
    measured = {point.rule for point in read_points()}
    rules = {base_rule(rule) for rule in rules_with_scripts()}
    assert len(rules) > 40
    assert rules - measured == UNMEASURED
    training = {rule for rule in measured if rule.startswith("train_")}
    assert training >= {"train_ngram_lm", "train_neural_lm", "train_class_ngram_lm"}
    assert measured - training <= rules


def test_every_rule_is_benchmarked() -> None:
    for path in RULES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if line.strip() == "log:":
                assert lines[number + 2].strip() == "benchmark:", f"{path}:{number}"
                log, benchmark = lines[number + 1].strip(" ,"), lines[number + 3].strip(" ,")
                name = log.replace("/logs/", "/benchmarks/").replace('.log"', '.tsv"')
                assert benchmark == name, f"{path}:{number}"


@pytest.mark.parametrize("point", read_points())
def test_what_is_asked_for_suffices(point) -> None:
    found = need(point.rule, point.kind)
    asked = found.mem_mb(point.memory_size_mb)
    most = OWN_MB + found.reads.most_mb
    assert asked >= min(OWN_MB + MARGIN * point.memory_mb - 1, most)
    assert asked >= OWN_MB + point.memory_mb
    assert found.minutes(point.time_size_mb) * 60 > point.cpu_seconds


def test_the_heavy_rules_are_measured_at_every_size() -> None:
    parts: dict[str, set[str]] = {}
    for point in read_points():
        parts.setdefault(point.rule, set()).add(point.part)
    assert all(part in PARTS for some in parts.values() for part in some)
    heavy = ("align_words", "cluster_words", "extract_phrases", "train_neural_lm", "train_ngram_lm")
    assert all(parts[rule] == set(PARTS) for rule in heavy)


def test_the_table_is_written_as_it_is_read() -> None:
    text = (ROOT / "src/nlmt/needs/points.tsv").read_text(encoding="utf-8")
    assert format_points(read_points()) == text


def test_a_kind_of_one_size_has_the_curves_of_all() -> None:
    every = need("decode", "of another kind")
    assert {point.kind for point in every.points} > {"n-gram, text tables"}
    assert every.mem_mb(10) >= need("decode", "n-gram, text tables").mem_mb(10) / MARGIN


def test_mapped_tables_take_no_more_memory_than_disk() -> None:
    text, binary = need("decode", "n-gram, text tables"), need("decode", "n-gram, binary tables")
    assert text.mem_mb(10_000) > 1.5 * binary.mem_mb(10_000)
    assert MARGIN * 10_000 < binary.mem_mb(10_000) < OWN_MB + MARGIN * 10_200


def test_memory_grows_also_where_one_size_is_known() -> None:
    for point in read_points():
        found = need(point.rule, point.kind)
        if len({p.part for p in found.points}) == 1:
            assert found.memory.slope >= 4


def test_steps_that_work_in_pieces_have_a_limit() -> None:
    assert need("extract_phrases").mem_mb(1000) == OWN_MB + 24000
    assert need("train_recaser").mem_mb(2000) == OWN_MB + 24000
    assert need("prepare_text").mem_mb(1000) == OWN_MB + 2000
    assert OWN_MB + 1000 < need("encode_text").mem_mb(4000) < OWN_MB + 3000


def test_steps_that_work_in_pieces_ask_for_temporary_files() -> None:
    assert need("extract_phrases").scratch_mb(5500) >= 400_000  # of 40 million sentence pairs
    table = 94 / 42  # the binary table, to the compressed ones
    assert 2 * table * 1000 <= need("binarise_tables").scratch_mb(1000) < 3 * table * 1000
    assert need("filter_tables", "phrases").scratch_mb(1000) == 0


def test_time_grows_also_where_starting_hides_it() -> None:
    points = tuple(Point("rule", "", "1", size, size, 100, 6, ()) for size in (1, 2))
    found = Need(Reads(), Curve(100, 0), Curve(6, 0), points)
    assert [found.seconds(size) for size in (1, 2, 2000)] == [6, 6, 6000]
    assert found.threads(2, 8) == 1
    assert found.threads(2000, 8) == 8
    assert found.minutes(2000) == LEAST_MINUTES + TIME_MARGIN * 100
    growing = Need(Reads(), Curve(100, 0), Curve(1, 3), points)
    assert growing.seconds(2000) == 6001


def test_scores_of_larger_models_than_the_measured_ones_take_longer() -> None:
    lists = need("rescore_nbest", "feed-forward")
    assert lists.minutes(250, 1e-7) == lists.minutes(250) < 60
    # Fifty thousand scores a megabyte; half a millisecond for each, as of forty thousand words.
    assert lists.seconds(250, 5e-4) == 250 * 50_000 * 5e-4
    assert lists.minutes(250, 5e-4) == int(LEAST_MINUTES + TIME_MARGIN * 6250 / 60)
    assert need("rescore_lattices", "recurrent").minutes(50, 5e-4) > 5 * 60
    assert need("rerank_nbest").minutes(250, 5e-4) == need("rerank_nbest").minutes(250)


def test_a_rule_that_does_more_than_the_one_like_it_has_needs_of_its_own() -> None:
    other, pieces = need("prepare_monolingual"), need("train_pieces")
    assert pieces.points == other.points
    assert pieces.mem_mb(150) > other.mem_mb(150) + 8000


def test_rules_without_points_ask_for_something() -> None:
    other = need("download_corpus")
    assert other.points == ()
    assert other.mem_mb(1000) == OWN_MB + MARGIN * 400
    assert other.minutes(1000) == LEAST_MINUTES


def test_small_jobs_ask_for_few_threads() -> None:
    decode = need("decode", "n-gram, text tables")
    least = min(point.time_size_mb for point in decode.points)
    asked = [decode.threads(size, 8) for size in (0, least, 1, 10, 1000)]
    assert asked[:2] == [1, 1]
    assert asked == sorted(asked)
    assert asked[-1] == 8
    assert need("download_corpus").threads(1000, 2) == 1


def test_rules_that_do_the_same_share_points() -> None:
    assert need("decode_shard", "n-gram, text tables").points
    assert base_rule("train_neural_lm_3") == "train_neural_lm"
    assert base_rule("cluster_tuples") == "cluster_words"


def test_size_of_the_files_that_count() -> None:
    files = [("results/x/text/a.gz", 2e6), ("results/x/tm/b.gz", 3e6)]
    assert size_mb(files, ()) == 5
    assert size_mb(files, ("/text/",)) == 2
