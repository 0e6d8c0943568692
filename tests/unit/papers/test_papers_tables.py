"""The tables of the four papers on small artefacts, and what the configuration has for them."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from default_experiment import changed_experiment, default_experiment
from paper_artefacts import ROOT, MakeTables, cell, judged, perplexity, scores, write_json

from nlmt.errors import InputError
from nlmt.papers import PAPERS, read_claims
from nlmt.papers.auli2013 import nearest_rows
from nlmt.papers.common_tables import chosen
from nlmt.papers.evidence import compared
from nlmt.papers.quantities import normaliser, short_list_share
from nlmt.papers.quantities import perplexity as model_perplexity
from nlmt.papers.results import Measurement, differences, is_result_frame, result_frame, result_row
from nlmt.papers.scores import best_gain, gain, largest_gain, loss, score
from nlmt.papers.sizes import size_of_held_out

KEYS = ("baltescu2015", "auli2013", "luong2015", "schwenk2010")


@pytest.mark.parametrize("key", [*KEYS, "combined"])
def test_every_table_has_all_cells_of_ours(key: str, tables_of: MakeTables) -> None:
    of_other_scales = {f"baltescu2015_dim{dim}" for dim in (1000, 2000, 5000)}
    of_other_scales |= {"schwenk2010_cslm_12288", "auli2013_rnn_bitext", "auli2013_rnn_01m"}
    for name, frame in tables_of(key, ("fr-en", "en-cs")).items():
        assert is_result_frame(frame), name
        ours = frame[frame["value"].notna()]
        assert set(ours["pair"]) in ({"fr-en", "en-cs"}, {"all pairs"})
        assert set(frame[frame["value"].isna()]["part"]) <= of_other_scales | {""}, name
        assert not frame.duplicated(["pair", "row", "column"]).any()


@pytest.mark.parametrize("key", KEYS)
def test_published_values_of_the_same_pair_stand_beside_ours(
    key: str, tables_of: MakeTables
) -> None:
    """No published value is lost, and none of another pair has a difference."""
    for name, frame in tables_of(key).items():
        path = ROOT / f"config/papers/{key}/{name}.tsv"
        text = path.read_text(encoding="utf-8") if path.exists() else "\n"
        given = len(text.splitlines()) - 1 - text.count("\t\t")
        assert frame["published"].notna().sum() >= given
        others = frame[~frame["pair"].isin(["fr-en", "all pairs"])]
        assert others["difference"].isna().all()


@pytest.mark.parametrize("key", KEYS)
def test_systems_of_claims_are_compared(key: str, tables_of: MakeTables) -> None:
    """Where a claim compares two systems, their significance is in the scores."""
    _, comparisons = judged(key, tables_of(key))
    scored = comparisons["our_better"].notna() & comparisons["metric"].isin(
        ["BLEU", "TER", "(TER-BLEU)/2", "cosine similarity"]
    )
    assert scored.any()
    assert comparisons[scored]["p"].notna().all(), comparisons[scored & comparisons["p"].isna()]


@pytest.mark.parametrize("key", KEYS)
def test_sizes_that_claims_are_judged_from_are_measured(key: str, tables_of: MakeTables) -> None:
    tables = tables_of(key)
    for claim in read_claims(ROOT / "config/papers", key):
        if claim.judged_from is not None:
            (name, row, column), least = claim.judged_from
            assert 0 < cell(tables[name], row, column)["value"] < least


def test_tables_of_baltescu_and_blunsom(tables_of: MakeTables) -> None:
    tables = tables_of("baltescu2015", ("fr-en", "en-cs", "en-de"))
    both = cell(tables["table2"], "en-cs", "tokens", "en-cs")
    assert (both["value"], both["published"]) == (950_000, 36_500_000)
    czech = cell(tables["table3"], "Czech", "Vocabulary", "en-cs")
    assert (czech["value"], czech["published"], czech["unit"]) == (8_000, 214_900, "words")
    assert not (tables["table3"]["note"] == "not run").any()
    kenlm = cell(tables["table4"], "KenLM", "BLEU", "en-cs")
    assert (kenlm["part"], kenlm["published"]) == ("baltescu2015_baseline", 19.11)
    alone = cell(tables["table6"], "Unnormalised", "BLEU", "en-de")
    assert (alone["part"], alone["published"]) == ("baltescu2015_full_descent", 18.05)
    assert alone["against"] == "baltescu2015_class_descent"
    better = cell(tables["table6"], "Unnormalised", "BLEU, AdaGrad", "en-de")
    assert (better["part"], better["against"]) == ("baltescu2015_full", "baltescu2015_class")
    assert math.isnan(better["published"])
    weight = cell(tables["text"], "Tree Factored / NLM", "weight, AdaGrad")
    assert weight["part"] == "baltescu2015_tree_kn5"
    assert len(weight["runs"].split()) == 3
    time = cell(tables["table9"], "SGD", "Duration")
    units = time["unit"], time["published"], time["published_unit"]
    assert units == ("seconds an epoch", 9.1, "days")
    assert (time["machine"], time["note"]) == ("1 thread of a processor", "")
    assert time["value"] == fmean(map(float, time["runs"].split()))
    whole = cell(tables["table9"], "SGD", "Whole training")
    assert whole["value"] == pytest.approx(10 * time["value"])  # the tokens of ten epochs
    decoding = cell(tables["table8"], "Class Factored NLM", "Average decoding time")
    assert decoding["unit"] == "seconds a sentence"
    assert not math.isnan(decoding["difference"])


def test_time_against_vocabulary(tables_of: MakeTables) -> None:
    tables = tables_of("baltescu2015", ("fr-en", "en-cs"))
    for row, power in (("Standard", 1.0), ("Class Factored", 0.5), ("NCE", 0.9)):
        found = cell(tables["table1"], row, "Training", "all pairs")
        assert found["value"] == pytest.approx(power)
        assert found["stdev"] == pytest.approx(0, abs=1e-9)
    assert len(tables["table1"]) == 8  # the paper's formulas are of the same cells
    found = cell(tables["table1"], "Standard", "Training", "all pairs")
    lead = differences(found)["synthetic-class-factored"]
    assert lead.difference == pytest.approx(0.5)
    assert lead.deviation == pytest.approx(0, abs=1e-9)  # the same in each pass
    point = cell(tables["complexity"], "Standard / V = 10000", "Exact Decoding", "all pairs")
    assert point["value"] == pytest.approx(15_000)  # the mean of two passes


def test_quality_against_memory(tmp_path: Path, make_tables: MakeTables) -> None:
    sizes = {"1pct": 50_000, "3pct": 210_000, "10pct": 400_000, "30pct": 800_000}
    measured = {f"baltescu2015_kn5_{share}": size for share, size in sizes.items()}
    for system, size in {**measured, "baltescu2015_kn5_trie": 2_400_000}.items():
        path = tmp_path / "fr-en/decode" / system / "memory.json"
        write_json(path, {"bytes": {"LM0": size}})
    figure = make_tables("baltescu2015")["figure2"]
    full = cell(figure, "back-off / all text", "memory")
    assert (full["value"], full["published"], full["published_unit"]) == (2.4, 12, "GB")
    assert full["difference"] == pytest.approx(2.4 - 12_000)
    lead = cell(figure, "neural vs. back-off / under 1 GB", "BLEU")
    assert lead["note"].startswith("files of ")
    assert lead["value"] == pytest.approx(fmean(float(run) for run in lead["runs"].split()))
    assert differences(lead.to_dict())["0"].deviation == pytest.approx(0.2 * 2**0.5)
    parts = [cell(figure, f"back-off / {k} % of the text", "BLEU") for k in (1, 3)]
    gain = cell(figure, "back-off / first gain", "BLEU")
    assert gain["value"] == pytest.approx(parts[1]["value"] - parts[0]["value"])
    assert gain["note"] == "from 1 % of the text to 3 % of the text"
    assert cell(figure, "neural / largest", "BLEU")["note"].startswith("D ")


def test_perplexities_of_the_same_words_compare(tables_of: MakeTables) -> None:
    table4 = tables_of("baltescu2015")["table4"]
    assert (table4["note"] == "").all()
    tables = tables_of("schwenk2010")
    share = cell(tables["text"], "short-list of the CSLM", "share of the test text")
    assert (share["value"], share["unit"]) == (87.5, "%")
    requests = cell(tables["text"], "short-list of the CSLM", "share of requests")
    assert (requests["value"], requests["published"]) == (89, 90)
    models = tables["models"]
    for row, words in (("back-off LM", 7000), ("neural LM", 6000)):
        note = cell(models, row, "dev, words")["note"]
        assert note == f"compares with models of the same {words} words alone"


def test_the_time_of_decoding_and_of_the_same_text_again(tables_of: MakeTables) -> None:
    table = tables_of("schwenk2010")["decoder"]
    row = "CSLM in the decoder, in place of the back-off model"
    first, again = (cell(table, row, f"Decoding time{end}") for end in ("", ", again"))
    for found in (first, again):
        assert found["value"] == fmean(map(float, found["runs"].split()))
    assert first["value"] == pytest.approx(2 * again["value"])
    assert cell(table, row, "BLEU")["against"] == "schwenk2010_cslm_alone"


def test_requests_that_are_evaluated_when_they_are_grouped(tables_of: MakeTables) -> None:
    text = tables_of("schwenk2010")["text"]
    for way, share in (("n-grams", 30), ("contexts", 20)):
        assert cell(text, f"equal {way} once", "evaluated")["value"] == share
    speed = cell(text, "requests one by one", "Rescoring speed")
    assert (speed["unit"], speed["part"]) == ("requests a second", "schwenk2010_cslm")
    assert speed["note"] == "busy machine"


def test_requests_are_those_of_each_runs_model_and_list(tmp_path: Path) -> None:
    share = short_list_share("schwenk2010_cslm_256", "schwenk2010_cslm")
    paths = [
        f"rescore/schwenk2010_cslm/requests/schwenk2010_cslm_256/run{k}.json" for k in (1, 2, 3)
    ]
    assert share.files(default_experiment()) == paths
    for path, predicted in zip(paths, (880, 890, 900), strict=True):
        write_json(tmp_path / path, {"requests": 1000, "predicted": predicted})
    found = share.read([tmp_path / path for path in paths])
    assert (found.value, found.runs) == (89.0, (88.0, 89.0, 90.0))


def test_tables_of_auli_and_others(tables_of: MakeTables) -> None:
    tables = tables_of("auli2013")
    lists = cell(tables["table1"], "n-best lists", "time")
    best = cell(tables["table1"], "1-best output", "time")
    assert lists["value"] == pytest.approx(best["value"] + 10)  # 1000 translations
    together = cell(tables["table1"], "lattices / k = 1", "time")["value"]
    added = cell(tables["table1"], "lattices / k = 1", "time that rescoring adds")
    assert added["value"] == pytest.approx(100 * (together / best["value"] - 1))
    assert added["published"] == 54
    scores = [cell(tables["table1"], f"lattices / k = {k}", "BLEU") for k in (1, 100)]
    known = compared(*scores)
    assert known is not None
    assert known.difference == pytest.approx(scores[0]["value"] - scores[1]["value"])
    assert known.deviation > 0
    known = compared(
        *(cell(tables["table1"], f"lattices / k = {k}", "model score") for k in (1, 100))
    )
    assert known is not None
    assert 0 < known.deviation < 0.1
    # Repetitions of the decoder and runs of the searches are not of the same lattices.
    assert best["part"] == "auli2013_two_ngrams"
    assert best["value"] == pytest.approx(fmean(map(float, best["runs"].split())))
    gain = cell(tables["table2"], "RNN / most text", "gain, best test set")
    assert (gain["published"], gain["note"] in ("test", "dev2")) == (0.7, True)
    sizes = {
        row: cell(tables["text"], row, "size")["value"]
        for row in ("parallel text", "smallest test set", "largest test set", "all test sets")
    }
    assert list(sizes.values()) == [950_000, 850, 900, 1750]
    assert cell(tables["text"], "parallel text", "size")["published"] == 102_000_000
    further = cell(tables["text"], "language model text", "size")
    assert (further["value"], further["published"]) == (300_000, 1_150_000_000)
    times = cell(tables["text"], "n-gram model text vs. RNN text", "size")
    assert (times["value"], times["published"]) == (300, 575)
    assert cell(tables["figure3"], "n-best lists / 1000", "time")["value"] == 10
    wider = cell(tables["figure3"], "n-best lists / 1000", "time that rescoring adds")
    assert wider["value"] == pytest.approx(100 * 10 / best["value"])
    assert "time that rescoring adds" not in set(
        tables["figure3"][tables["figure3"]["row"] == "n-best lists / 1"]["column"]
    )
    assert len(tables["figure3"][tables["figure3"]["column"] == "BLEU"]) == 9
    half = cell(tables["table6"], "ww-rnn-dim50.n5", "without p(e|f)")
    assert (half["part"], half["published"]) == ("auli2013_ww_rnn_n5_without_ef", 24.9)
    assert half["against"] == "auli2013_without_ef"
    assert cell(tables["table5"], "ww-lsa-dim50.p3", "BLEU, average")["value"] > 0
    fall = cell(tables["table7"], "oracle vs. target-only", "perplexity")
    target, *oracles = (
        cell(tables["table7"], row, "perplexity")["value"]
        for row in ("target-only", "oracle", "oracle, 80 numbers")
    )
    assert fall["value"] == pytest.approx(100 * (target - min(oracles)) / target)
    assert fall["published"] == 65
    for name in ("table2", "table3", "table4"):
        share = cell(tables[name], "RNN / more text", "BLEU")
        assert (share["part"], share["against"]) == ("auli2013_rnn_20pct", "auli2013_two_ngrams")
        rows = ("little", "more", "most")
        sizes = [cell(tables[name], f"RNN / {row} text", "size")["value"] for row in rows]
        assert sizes == [1000, 300_000, 600_000]
        assert math.isnan(cell(tables[name], "RNN / least text", "size")["value"])
        # Of 600,000 and 300,000 tokens: 900 times, 3 times and 1.5 times the network's.
        nearest = cell(tables[name], "RNN / a 25th of the n-gram models' text", "BLEU, average")
        assert nearest["part"] == "auli2013_rnn_20pct"
        assert nearest["note"] == "RNN / more text: the n-gram models have 3 times its text"


def test_the_overhead_of_rescoring_has_the_spread_of_both_times(tables_of: MakeTables) -> None:
    """Here all searches take 0.01 s: the interval is that of three times of the decoder."""
    tables = tables_of("auli2013")
    _, comparisons = judged("auli2013", tables)
    row = comparisons[comparisons["claim"] == "lattice_rescoring_overhead"].iloc[0]
    runs = cell(tables["table1"], "1-best output", "time")["runs"].split()
    logs = [math.log(0.01 / float(run)) for run in runs]
    half = 4.3027 * stdev(logs) / math.sqrt(3)
    interval = math.exp(fmean(logs) - half), math.exp(fmean(logs) + half)
    assert (row["low"], row["high"]) == pytest.approx(interval, rel=1e-4)


@pytest.mark.parametrize(
    ("times", "nearest"), [({"a": 43.3, "b": 8.5}, "a"), ({"a": 43.3, "b": 20}, "b"), ({}, None)]
)
def test_the_network_with_the_papers_share_of_text(
    times: dict[str, float], nearest: str | None
) -> None:
    """43.3 is 1.7 times the paper's 25, which is 2.9 times 8.5."""
    rows = [
        result_row("fr-en", row, "n-gram models' text", "times", "", Measurement(value))
        for row, value in times.items()
    ]
    rows += [result_row("fr-en", row, "BLEU", "BLEU", row, Measurement(50.0)) for row in "ab"]
    copied = nearest_rows("fr-en", result_frame(rows))
    assert {row["row"] for row in copied} <= {"RNN / a 25th of the n-gram models' text"}
    assert {row["part"] for row in copied} == ({nearest, ""} if nearest else set())


def test_a_curve_over_text_has_its_row_where_the_model_is(make_tables: MakeTables) -> None:
    sample = {"kind": "neural", "texts": ["auli2013_4pct"]}
    system = {"label": "a", "decoded_by": "auli2013_two_ngrams"}
    system |= {"rescored_with": ["auli2013_rnn_01m"], "lattice": {"states": 1}}
    of = changed_experiment(
        language_models={"auli2013_rnn_01m": sample},
        systems={"auli2013_rnn_01m": {**system, "baseline": "auli2013_two_ngrams"}},
    )
    table = make_tables("auli2013", of=of)["table2"]
    assert cell(table, "RNN / least text", "size")["value"] == 1000
    assert cell(table, "RNN / least text", "BLEU")["against"] == "auli2013_two_ngrams"


@pytest.mark.parametrize(("first", "tokens"), [("kn5", 600_000), ("kn5_part", 300_000)])
def test_the_ratio_of_texts_is_of_the_decoders_models(
    first: str, tokens: int, make_tables: MakeTables
) -> None:
    two = {"language_models": [first, "auli2013_kn5_further"]}
    part = {"kind": "ngram", "order": 5, "texts": ["baltescu2015_1pct"]}
    of = changed_experiment(
        language_models={"kn5_part": part},
        systems={f"auli2013_{name}": two for name in ("two_ngrams", "context10", "context100")},
    )
    table = make_tables("auli2013", of=of)["table2"]
    times = cell(table, "RNN / little text", "n-gram models' text")
    assert times["value"] == (tokens + 300_000) / 1000


def test_combinations_are_compared_with_what_they_add_to(tables_of: MakeTables) -> None:
    table = tables_of("combined")["combinations"]
    for row, against in (
        ("+ Schwenk", "combined_baseline"),
        ("+ all four", "combined_baseline"),
        ("+ all but Schwenk", "combined_all"),
        ("the same, + the other three", "combined_all"),
    ):
        for column in ("BLEU, test", "BLEU, dev2", "BLEU, average", "TER, average"):
            found = cell(table, row, column)
            assert found["against"] == against
            assert against in differences(found.to_dict())


def test_perplexities_are_compared_sentence_by_sentence(tables_of: MakeTables) -> None:
    tables = tables_of("baltescu2015")
    neural = cell(tables["table4"], "NLM", "perplexity")
    assert differences(neural.to_dict()).keys() == {"baltescu2015_kn5"}
    assert 0 < differences(neural.to_dict())["baltescu2015_kn5"].deviation < 10
    binned = cell(tables["table7"], "Class Factored / Frequency binning", "perplexity")
    assert binned["part"] == "baltescu2015_frequency_descent"
    assert binned["against"] == "baltescu2015_class_descent"
    table = tables_of("auli2013")["table5"]
    joint = cell(table, "ww-lsa-dim50.p3", "perplexity")
    assert joint["against"] == "auli2013_rnn"
    assert differences(joint.to_dict()).keys() == {"auli2013_rnn"}
    two = cell(tables_of("luong2015")["table1"], "2 layers", "Test")
    assert (two["part"], two["against"]) == ("luong2015_2layer", "luong2015_1layer")
    assert len(two["runs"].split()) == 3
    normaliser = cell(tables_of("luong2015")["table1"], "2 layers", "abs. log Z, dev")
    assert differences(normaliser.to_dict()).keys() == {"luong2015_1layer"}
    assert two["value"] == pytest.approx(np.mean([float(run) for run in two["runs"].split()]))
    aligned = cell(table, "ww-rnn-dim50.c5", "perplexity")
    assert aligned["against"] == "auli2013_rnn"
    assert len(differences(aligned.to_dict())) == 8  # of the target alone, and seven of the source


def test_what_searches_of_settings_found_is_a_table(
    tmp_path: Path, make_tables: MakeTables
) -> None:
    model = "luong2015_4layer_adagrad"
    found = {
        "learning_rate 1": {"perplexity": 60.0, "epochs": 4, "end": "trained"},
        "learning_rate 2": {"perplexity": 80.0, "epochs": 0.5, "end": "stopped"},
        "learning_rate 3": {"perplexity": None, "epochs": 0, "end": "diverged"},
    }
    measured = {
        "tokens": 1,
        "dev_unigram_perplexity": 300.0,
        "tokens_per_second": 1.0,
        "dev_mean_abs_log_z": 1.0,
    }
    measured |= {"epochs": 4, "best_epoch": 4, "seconds": 1.0, "dev": {"perplexity": 60.0}}
    own = {"learning_rate 2": {"perplexity": 70.0, "epochs": 4, "end": "trained"}}
    for run, searched in (("run1", found), ("run2", own)):
        path = tmp_path / f"fr-en/lm/{model}/{run}/metrics.json"
        write_json(path, {**measured, "searched": searched})
    of = changed_experiment(language_models={model: {"search": {"learning_rate": [1, 2, 3]}}})
    table = make_tables("luong2015", of=of)["searches"]
    assert set(table["part"]) == {row.split(" / ")[0] for row in table["row"]}
    assert cell(table, f"{model} / run 2", "learning_rate 2")["value"] == 70
    assert len(table[table["row"] == f"{model} / run 2"]) == 1
    lowest = cell(table, model, "learning_rate 1")
    assert (lowest["value"], lowest["unit"]) == (60.0, "perplexity")
    assert lowest["note"] == "chosen, learning_rate at the border"
    stopped = cell(table, model, "learning_rate 2")
    assert (stopped["value"], stopped["note"]) == (80.0, "stopped after 0.5 epochs")
    other = cell(table, model, "learning_rate 3")
    assert math.isnan(other["value"])
    assert other["note"] == "training diverged"


def test_the_chosen_rate_of_a_transform_is_in_the_table(tables_of: MakeTables) -> None:
    table = tables_of("auli2013")["searches"]
    errors = {
        rate: cell(table, "auli2013_transform_skips", f"transform_rate {rate}")
        for rate in ("0.03", "0.1", "0.3")
    }
    assert [row["value"] for row in errors.values()] == [0.5, 0.25, 0.375]
    assert [row["note"] for row in errors.values()] == ["", "chosen", ""]
    assert set(table["unit"]) == {"squared error", "perplexity"}


def test_what_is_chosen_at_the_border_of_its_list() -> None:
    rates = {
        f"learning_rate {rate}, minibatch 10": {"learning_rate": rate, "minibatch": 10}
        for rate in (0.5, 1, 3)
    }
    for values, note in (((9, 8, 7), "chosen, learning_rate at the border"), ((9, 7, 8), "chosen")):
        found = chosen(dict(zip(rates, map(float, values), strict=True)), rates)
        assert list(found.values()) == [note]
    of_two = {"a": {"schedule": "constant", "clip": 1.0}, "b": {"schedule": "decay", "clip": 2.0}}
    assert chosen({"a": 5.0, "b": 6.0}, of_two) == {"a": "chosen, clip at the border"}
    assert chosen(dict.fromkeys(rates), rates) == {}


def test_when_training_ended(
    tmp_path: Path, make_tables: MakeTables, tables_of: MakeTables
) -> None:
    model, best = "baltescu2015_class", {1: 10, 2: 9.5}
    for run, epoch in best.items():
        facts = {"epochs": 10, "best_epoch": epoch, "dev": {"perplexity": 60.0}, "seconds": 5.0}
        metrics = {"tokens": 1, "tokens_per_second": 1.0, "dev_mean_abs_log_z": 1.0, **facts}
        write_json(tmp_path / f"fr-en/lm/baltescu2015_class/run{run}/metrics.json", metrics)
    tables = make_tables("baltescu2015")
    for run, note in ((1, "the last epoch allowed"), (2, "")):
        found = cell(tables["training"], f"{model} / run {run}", "best epoch")
        assert (found["value"], found["note"], found["part"]) == (best[run], note, model)
    assert cell(tables["training"], f"{model} / run 3", "time")["value"] == 60.0
    shown = set(tables_of("auli2013")["training"]["part"])
    assert {"auli2013_rnn_all", "auli2013_transform_decay"} <= shown
    assert "schwenk2010_bunch1" not in set(tables_of("schwenk2010")["training"]["part"])


def test_searches_are_on_lattices_without_the_reference() -> None:
    table = PAPERS.get("auli2013").tables["table1"]
    for system, message in (
        ("nlm", "search: nlm rescores no lattices"),
        ("auli2013_oracle80", "search: auli2013_oracle80 sees the reference"),
    ):
        of = changed_experiment(papers={"auli2013": {"search": system}})
        with pytest.raises(InputError, match=message) as error:
            table.needs(of, of.paper("auli2013"), "fr-en")
    assert "auli2013_rnn_lattice10" in error.value.hint
    assert "oracle" not in error.value.hint


def test_table_8_of_auli_and_others(tables_of: MakeTables) -> None:
    table = tables_of("auli2013")["table8"]
    cosine = cell(table, "transform", "cosine, validation")
    assert (cosine["published"], cosine["unit"]) == (0.757, "cosine similarity")
    assert (cosine["value"], cosine["difference"]) == (0.5, pytest.approx(0.5 - 0.757))
    assert cell(table, "transform", "cosine, training")["value"] == 0.625
    gain = cell(table, "transform vs. target-only", "average")
    assert (gain["published"], gain["note"]) == (0.2, "auli2013_transform")
    assert differences(gain.to_dict()).keys() == {"auli2013_rnn"}
    second = cell(table, "transform", "test set 2")
    assert (second["part"], second["against"]) == ("auli2013_transform", "auli2013_rnn")
    assert cell(table, "transform vs. Baseline", "best test set")["published"] == 1.5


def test_sizes_of_sets_that_nothing_has_are_not_run() -> None:
    size = size_of_held_out("luong2015_domain_train")
    assert size.files(default_experiment()) == ["text/luong2015_domain_train.counts.json"]
    adapted = [name for name in default_experiment().models.names() if name.endswith("_adapted")]
    domain = [name for name in default_experiment().systems.names() if "luong2015_domain" in name]
    nothing = {"language_models": dict.fromkeys(adapted), "systems": dict.fromkeys(domain)}
    assert size.files(changed_experiment(**nothing)) == []


def test_the_largest_gain_names_its_test_set(tmp_path: Path) -> None:
    values = scores("a", "b", ["b"], ["test", "dev2"])
    for name, difference in (("test", -0.5), ("dev2", -0.75), ("average", -2.0)):
        values["scores"][name]["TER"]["comparisons"]["b"]["difference"] = difference
    write_json(tmp_path / "eval.json", values)
    gain = largest_gain("a", "b", "TER").read([tmp_path / "eval.json"])
    assert (gain.value, gain.note, gain.signature) == (0.75, "dev2", "TER|version:2")
    assert gain.chosen_of == 2


@pytest.mark.parametrize(("of_all", "value", "system"), [(min, -0.25, "b"), (max, 0.5, "a")])
def test_losses_are_the_smallest_and_the_largest(
    tmp_path: Path, of_all: Callable[..., Any], value: float, system: str
) -> None:
    paths = []
    for name, difference in (("a", -0.5), ("b", 0.25)):
        values = scores(name, name, ["base"], ["test", "dev2"])
        values["scores"]["test"]["BLEU"]["comparisons"]["base"]["difference"] = difference
        paths.append(tmp_path / f"{name}.json")
        write_json(paths[-1], values)
    found = loss("base", ("a", "b"), of_all).read(paths)
    assert (found.value, found.note, found.baseline) == (value, system, "base")
    assert found.chosen_of == 2


def test_tables_of_luong_and_others(tables_of: MakeTables) -> None:
    tables = tables_of("luong2015")
    dev = cell(tables["table2"], "4 layers", "dev / TER")
    assert differences(dev.to_dict()).keys() == {
        *("luong2015_baseline", "luong2015_reranked", "luong2015_1layer")
    }
    assert cell(tables["table2"], "4 layers", "dev / TER", "zh-en")["published"] == 52.6
    one = cell(tables["table4"], "1 layer", "LMs")
    assert (one["part"], one["unit"]) == ("luong2015_1layer_lms", "(TER-BLEU)/2")
    assert cell(tables["table1"], "1 layer", "abs. log Z")["value"] == 0.25
    sizes = {
        row: cell(tables["text"], f"sms-chat / {row}", "size")
        for row in ("reranking tuning set", "bitext / sentences", "bitext / source")
    }
    assert [size["value"] for size in sizes.values()] == [170_000, 9000, 180_000]
    theirs = cell(tables["text"], "sms-chat / reranking tuning set", "size", "zh-en")
    assert theirs["published"] == 8000
    point = cell(tables["figure1"], "1 layer / after 160,000 minibatches", "cross-entropy")
    assert point["value"] == pytest.approx(math.log(58))  # 20,480,000 tokens, 128 each
    larger = cell(tables["curves"], "1 layer / after 20,480 minibatches", "cross-entropy")
    assert larger["part"] == "luong2015_1layer_adagrad"
    ter = cell(tables["table2"], "2 layers", "dev / TER, AdaGrad")
    assert (ter["part"], ter["against"]) == ("luong2015_2layer_adagrad", "luong2015_reranked")
    second = cell(tables["table2"], "vs. 1 layer", "dev / BLEU, AdaGrad")
    assert (second["part"], second["against"]) == ("luong2015_1layer_adagrad",) * 2
    adapted = cell(tables["table3"], "3 layers", "perplexity, AdaGrad")
    assert adapted["part"] == "luong2015_3layer_adagrad_adapted"
    # A higher BLEU and a lower TER are gains.
    gain = cell(tables["table2"], "vs. baseline", "test1 / TER")
    best = min(
        (cell(tables["table2"], f"{n} layer{'s' * (n > 1)}", "test1 / TER")["value"], n)
        for n in (1, 2, 3, 4)
    )
    assert gain["note"] == f"luong2015_{best[1]}layer"
    assert gain["value"] == pytest.approx(50 - best[0])
    deep = [
        [cell(tables["table2"], row, f"{name} / BLEU")["value"] for row in ("3 layers", "4 layers")]
        for name in ("test1", "test2")
    ]
    mean = cell(tables["text"], "deep vs. baseline / mean of test1 and test2", "BLEU")
    assert mean["value"] == pytest.approx(sum(max(scores) - 50 for scores in deep) / 2)
    assert cell(tables["text"], "bitext / source", "size")["value"] == 500_000
    published = cell(tables["text"], "deep vs. 1 layer / mean of test1 and test2", "BLEU", "zh-en")
    assert published["published"] == 0.5


def test_each_test_set_by_itself(tmp_path: Path, make_tables: MakeTables) -> None:
    table = make_tables("luong2015")["test_sets"]
    reranked = table[table["part"] == "luong2015_2layer"]
    # Its weights were tuned on dev2.
    assert list(reranked["column"]) == ["test", "luong2015_test2"]
    second = cell(table, "+ 2 hidden layers", "luong2015_test2")
    stored = json.loads((tmp_path / "fr-en/eval/luong2015_2layer.json").read_text())
    assert second["value"] == stored["scores"]["luong2015_test2"]["BLEU"]["mean"]
    assert second["against"] == "luong2015_baseline"
    assert "dev2" in set(table[table["part"] == "luong2015_baseline"]["column"])
    adapted = table[table["part"] == "luong2015_domain_1layer"]
    assert list(adapted["column"]) == ["luong2015_domain"]


def test_systems_that_are_left_out_were_not_run(tmp_path: Path, make_tables: MakeTables) -> None:
    systems = dict.fromkeys(
        name for name in default_experiment().systems.names() if name.startswith("schwenk2010")
    )
    frames = make_tables("schwenk2010", of=changed_experiment(systems=systems))
    table2 = frames["table2"]
    assert math.isnan(cell(table2, "neural LM", "BLEU")["value"])
    assert math.isnan(cell(frames["table1"], "Phrase-based / Ref.", "BLEU")["value"])
    assert cell(frames["models"], "back-off LM", "test, words")["value"] > 0
    assert cell(table2, "neural LM", "BLEU", "it-en")["published"] == 38.04


def test_scores_are_those_of_the_set_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "eval.json"
    write_json(path, scores("a", "b", ["b", "c"], ["test", "dev2"], runs=(1.0, 2.0), p=0.03))
    first = score("a", "TER", "c").read([path])
    assert (first.value, first.runs, first.signature) == (1.5, (1.0, 2.0), "TER|version:2")
    assert (list(first.differences), first.baseline) == (["b", "c"], "c")
    assert score("a", test_set="dev2").read([path]).baseline == "b"
    with pytest.raises(InputError, match="no score 'COMET'"):
        score("a", "COMET").read([path])


def test_scores_of_an_earlier_version_are_named(tmp_path: Path) -> None:
    values = scores("a", "b", ["b"])
    del values["scores"]["test"]["BLEU"]["signature"]
    write_json(tmp_path / "eval.json", values)
    for quantity in (score("a"), gain("a", "b"), largest_gain("a", "b")):
        with pytest.raises(InputError, match=r"eval.json: no 'signature' \(made by an earlier"):
            quantity.read([tmp_path / "eval.json"])


def test_sets_that_a_system_is_not_tested_on_cannot_be_shown() -> None:
    assert score("baseline", test_set="dev2").files(default_experiment()) == []
    assert score("no_system").files(default_experiment()) == []
    assert best_gain("baseline", ("nlm", "left_out")).files(default_experiment()) == []


def test_a_perplexity_knows_its_vocabulary(tmp_path: Path) -> None:
    write_json(tmp_path / "p.json", perplexity("a", 123))
    assert model_perplexity("a").read([tmp_path / "p.json"]).vocabulary.startswith("123 words")
    unknown = perplexity("a") | {"vocabulary": {"words": None, "hash": None}}
    write_json(tmp_path / "q.json", unknown)
    assert model_perplexity("a").read([tmp_path / "q.json"]).vocabulary == ""


def test_perplexities_of_other_words_are_not_compared(tmp_path: Path) -> None:
    words = {"one": 123, "same": 123, "other": 124}
    for name, count in words.items():
        write_json(tmp_path / f"lm/{name}/perplexity.json", perplexity(name, count))
        values = {"test": {"log_probability": [-1.0, -2.0], "abs_log_z": [1.0, 2.0]}}
        write_json(tmp_path / f"lm/{name}/sentences.json", values)
    files = ("perplexity", "sentences")
    paths = [tmp_path / f"lm/{name}/{file}.json" for name in words for file in files]
    found = model_perplexity("one", against="other", further=["same"]).read(paths)
    assert list(found.differences) == ["same"]
    assert list(normaliser("one", against="other").read(paths).differences) == ["same", "other"]


def test_normalisers_need_those_of_sentences(tmp_path: Path) -> None:
    """Files of earlier versions lack them."""
    folder = tmp_path / "lm"
    for name in ("one", "two"):
        write_json(folder / name / "perplexity.json", perplexity(name))
        write_json(folder / name / "sentences.json", {"test": {"log_probability": [-1.0]}})
    files = ("perplexity", "sentences")
    paths = [folder / f"{name}/{file}.json" for name in ("one", "two") for file in files]
    with pytest.raises(InputError, match=r"no 'abs_log_z' \(made by an earlier version; make it"):
        normaliser("one", against="two").read(paths)
    write_json(folder / "one/perplexity.json", {"test": {"perplexity": 2.0}})
    with pytest.raises(InputError, match=r"no 'mean_abs_log_z' \(made by an earlier version"):
        normaliser("one").read(paths[:1])
    with pytest.raises(InputError, match=r"one/perplexity.json: no 'vocabulary' \(made by"):
        model_perplexity("one").read(paths[:1])
