"""The whole chain on a tiny corpus: it runs, and reruns what it must."""

import csv
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
import yaml
from conftest import PAIR, ROOT, SMALL, change, run_snakemake, succeeded
from sacrebleu import CHRF

from nlmt.cli import main
from nlmt.io.files import read_lines, write_lines
from nlmt.io.nbest_scores import read_scored
from nlmt.provenance import Store, trace
from nlmt.text import Tokenisation, read_sizes

SIDES = ("fr", "en")


def rules_to_run(output: str) -> set[str]:
    """Names of the rules in the job table that a dry run prints."""
    table = output.split("Job stats:")[1].split("total")[0]
    return set(re.findall(r"^([a-z]\w+) +\d+$", table, flags=re.MULTILINE))


def test_report_compares_the_systems(finished):
    with (finished / PAIR / "report/results.tsv").open() as stream:
        rows = {row["system"]: row for row in csv.DictReader(stream, delimiter="\t")}
    assert set(rows) == {"baseline", "nlm", "nlm_decoder"}
    for row in rows.values():
        assert 20 < float(row["mean"]) <= 100
        assert "tok:none" in row["signature"]
    assert (finished / PAIR / "report/index.html").read_text().count("<svg") >= 1


def test_scores_are_means_over_the_runs(finished):
    scores = json.loads((finished / PAIR / "eval/nlm.json").read_text())
    assert scores["seeds"] == [1, 2]
    for metric in ("BLEU", "TER", "chrF", "detokenised BLEU"):
        values = scores["scores"]["test"][metric]
        assert values["mean"] == pytest.approx(sum(values["runs"]) / 2)


def test_every_artefact_is_traced_to_the_corpus(copy_of_finished, monkeypatch):
    monkeypatch.chdir(copy_of_finished)
    steps = trace(Store(), f"{PAIR}/report/results.tsv")
    assert steps[-1].current
    given = {step.path for step in steps if step.job is None}
    assert given == {f"corpus/{part}.{side}" for part in ("train", "dev", "test") for side in SIDES}
    rules = {step.job.rule for step in steps if step.job is not None}
    assert {"extract_bitext", "train_neural_lm", "tune_weights", "rerank_nbest"} <= rules
    manifest = f"{PAIR}/report/manifest.sha256"
    subprocess.run(["sha256sum", "--check", "--quiet", manifest], check=True)
    Path(f"{PAIR}/lm/nce/run1/vocabulary.txt").write_text("other")
    assert not trace(Store(), f"{PAIR}/report/results.tsv")[-1].current


def test_second_run_has_nothing_to_do(copy_of_finished):
    """Not even where the corpus lacks a language of the demo."""
    result = run_snakemake(copy_of_finished, "--dry-run", "reports", "--config", "demo_pair=cs-en")
    assert "Nothing to be done" in result.stdout + result.stderr


NEURAL = {"train_neural_lm", "measure_perplexity", "rescore_nbest", "tune_reranking"}
NEURAL |= {"write_moses_ini", "tune_weights", "decode", "rerank_nbest"}
REPORT = {"evaluate_system", "compare_sentences", "write_report"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"evaluation": {"resamples": 50}}, {"evaluate_system", "write_report"}),
        (
            {"rescoring": {"nbest": 100, "restarts": 3}},
            {"tune_reranking", "rerank_nbest"} | REPORT,
        ),
        ({"language_models": {"nce": {"dim": 30}}}, NEURAL | REPORT),
        ({"language_models": {"nce": {"min_count": 1}}}, {"encode_text"} | NEURAL | REPORT),
        (
            {"decoder": {"pop_limit": 50, "stack": 100}},
            {
                "write_systems",
                "tune_weights",
                "decode",
                "rescore_nbest",
                "tune_reranking",
                "rerank_nbest",
            }
            | REPORT,
        ),
        (
            {"runs": 3},
            NEURAL | {"evaluate_system", "write_report", "write_systems"},
        ),
    ],
)
def test_one_change_reruns_only_what_depends_on_it(copy_of_finished, changed, expected):
    change(copy_of_finished, **changed)
    result = run_snakemake(copy_of_finished, "--dry-run", "reports")
    assert rules_to_run(result.stdout) - {"reports"} == expected
    if "runs" in changed:  # those that there were are kept
        made = re.findall(r"^ +output: (.*)", result.stdout, flags=re.MULTILINE)
        assert {run for files in made for run in re.findall(r"/run(\d)/", files)} == {"3"}


def test_lists_of_another_program_are_rescored_and_compared(copy_of_finished):
    """They are in Marian's form, of the first run; their totals are those of the decoder."""
    (copy_of_finished / "marian").mkdir()
    for split in ("dev", "test"):
        lines = []
        for line in read_lines(copy_of_finished / PAIR / f"decode/baseline/run1/{split}.nbest.gz"):
            number, text, _, total, *_ = line.split(" ||| ")
            features = f"F0= {float(total) / 2} F1= {len(text.split())}"
            lines.append(f"{number} ||| {text} ||| 0-0 ||| {features} ||| {total}")
        write_lines(copy_of_finished / f"marian/{split}.fr-en", lines)
    systems = {
        "marian": {"label": "Marian", "lists": "marian/{split}.{src}-{tgt}"},
        "more": {"label": "+ nce", "decoded_by": "marian", "rescored_with": ["nce"]},
    }
    change(copy_of_finished, systems=systems)
    succeeded(run_snakemake(copy_of_finished, "reports"))
    pair = copy_of_finished / PAIR
    for run in (1, 2):
        taken = (pair / f"decode/marian/run{run}/test.hyp").read_text()
        assert taken == (pair / "decode/baseline/run1/test.hyp").read_text()
        weights = json.loads((pair / f"rescore/more/run{run}/weights.json").read_text())["weights"]
        assert weights.keys() == {"F0", "F1", "NLM0"}
    with (pair / "report/results.tsv").open() as stream:
        rows = {row["system"]: row for row in csv.DictReader(stream, delimiter="\t")}
    assert set(rows) == {"baseline", "nlm", "nlm_decoder", "marian", "more"}
    assert float(rows["more"]["mean"]) > 20
    assert "marian" not in json.loads((pair / "systems.json").read_text())["systems"]


@pytest.fixture(scope="module")
def with_texts(finished, tmp_path_factory):
    """A copy of the finished project in which a plugin's metric has scored the systems' texts."""
    copy = Path(shutil.copytree(finished, tmp_path_factory.mktemp("texts") / "copy"))
    evaluation = {"resamples": 100, "metrics": ["chrf++"]}
    plugin = str(ROOT / "tests/examples/metric.py")
    change(copy, plugins=[plugin], evaluation=evaluation)
    succeeded(run_snakemake(copy, f"{PAIR}/eval/nlm.json"))
    return copy


def test_raw_text_is_translated_as_the_test_set_was(with_texts, capsys, monkeypatch, tmp_path):
    """`nlmt translate` prints the system's own output, and so it does after an export."""
    project = Path(shutil.copytree(with_texts, tmp_path / "copy"))
    pair = project / PAIR
    texts = {("baseline", 1): "decode/baseline/run1", ("nlm", 2): "rescore/nlm/run2"}
    source, out = pair / "raw/test.fr.gz", tmp_path / "out"
    out.mkdir()
    expected = {}
    for (system, run), text in texts.items():
        expected[system] = (pair / text / "test.detok.en").read_text()
        assert len(expected[system].splitlines()) == len(list(read_lines(source)))
        options = ["--system", system, "--run", str(run), "--threads", "1"]
        assert main(["export", str(pair), str(out / system), *options]) == 0
        capsys.readouterr()
        assert main(["translate", str(pair), str(source), *options]) == 0
        assert capsys.readouterr().out == expected[system]
    moved = out.rename(tmp_path / "moved")
    kept = Path(shutil.copy(source, tmp_path))
    shutil.rmtree(project)
    monkeypatch.chdir(tmp_path)
    for system in expected:
        options = ["--system", system, "--threads", "1"]
        assert main(["translate", str(moved / system), str(kept), *options]) == 0
        assert capsys.readouterr().out == expected[system]


def test_a_metric_of_a_plugin_is_compared_like_bleu(with_texts):
    """It scores the text of both systems' translations, in all runs."""
    scores = json.loads((with_texts / PAIR / "eval/nlm.json").read_text())["scores"]["test"]
    assert len(scores["chrF++"]["runs"]) == 2
    assert 20 < scores["chrF++"]["mean"] <= 100
    assert scores["chrF++"]["low"] <= scores["chrF++"]["difference"] <= scores["chrF++"]["high"]
    for run, text in enumerate(("rescore/nlm/run1", "rescore/nlm/run2")):
        lines = list(read_lines(with_texts / PAIR / text / "test.detok.en"))
        reference = list(read_lines(with_texts / PAIR / "raw/test.en.gz"))
        official = CHRF(word_order=2)
        values = [official.sentence_score(*pair).score for pair in
                  zip(lines, [[line] for line in reference], strict=True)]  # fmt: skip
        assert scores["chrF++"]["runs"][run] == pytest.approx(np.mean(values), abs=1e-4)


def test_systems_learn_truecased_text_with_odd_lines(project, capsys):
    """The corpus begins with capitals; words inside have none, so systems see none.

    Odd lines are counted, or their pipes escaped.
    """
    for path in (project / "corpus").iterdir():
        lines = [line.capitalize() for line in read_lines(path)]
        if path.stem == "train":
            lines[:3] = ["", "word " * 300, f"{lines[2]} ||| a|b"]
        write_lines(path, lines)
    change(project, text={"casing": "truecase"}, runs=1)
    text = f"{PAIR}/decode/baseline/run1/test.detok.en"
    succeeded(run_snakemake(project, text, f"{PAIR}/eval/baseline.json", f"{PAIR}/systems.json"))
    assert not any(line[0].isupper() for line in read_lines(project / PAIR / "text/train.en.gz"))
    assert json.loads((project / PAIR / "raw/counts.json").read_text())["train_empty"] == 1
    counts = json.loads((project / PAIR / "text/train.counts.json").read_text())
    assert (counts["read"], counts["too_long"], counts["kept"]) == (599, 1, 598)
    assert counts["source_escaped_pipes"] == 4
    scores = json.loads((project / PAIR / "eval/baseline.json").read_text())
    assert "case:mixed" in scores["scores"]["test"]["detokenised BLEU"]["signature"]
    assert not (project / PAIR / "recaser").exists()
    source = str(project / PAIR / "raw/test.fr.gz")
    assert main(["translate", str(project / PAIR), source, "--threads", "1"]) == 0
    printed = capsys.readouterr().out
    assert printed == (project / text).read_text()
    assert all(line[0].isupper() for line in printed.splitlines())


def test_systems_of_pieces_of_a_share_of_the_text_are_scored_by_words(project, capsys):
    pytest.importorskip("sentencepiece")
    segmenter = {"fr": "sentencepiece", "en": "sentencepiece"}
    prepared = {"segmenter": segmenter, "pieces": 150, "share": 0.3}
    change(project, task="part", text=prepared, runs=1)
    pair = "results/part/fr-en"
    folder = project / pair
    text, counted = "decode/baseline/run1/test.detok.en", "text/corpus_statistics.tsv"
    targets = (text, counted, "eval/baseline.json", "systems.json")
    succeeded(run_snakemake(project, *(f"{pair}/{name}" for name in targets)))
    sizes = read_sizes(folder / counted)
    assert sizes["train", "fr"].sentences == sizes["train", "en"].sentences
    assert sizes["texts/default", "en"] == sizes["train", "en"]
    assert 0.2 < sizes["train", "en"].sentences / 600 < 0.4
    assert sizes["test", "en"].sentences == 30
    pieces = list(read_lines(folder / "decode/baseline/run1/test.hyp"))
    words = [line.replace(" ", "").replace("\u2581", " ").strip() for line in pieces]
    assert sum(len(line.split()) for line in pieces) > sum(len(line.split()) for line in words)
    tokenise = Tokenisation().of("en")
    reference = [tokenise(line) for line in read_lines(folder / "raw/test.en.gz")]
    score = sacrebleu.corpus_bleu(words, [reference], tokenize="none", force=True).score
    scores = json.loads((folder / "eval/baseline.json").read_text())["scores"]["test"]
    assert scores["BLEU"]["mean"] == pytest.approx(score, abs=1e-9)
    source = str(folder / "raw/test.fr.gz")
    assert main(["translate", str(folder), "--system", "baseline", source, "--threads", "1"]) == 0
    assert capsys.readouterr().out == (folder / text).read_text()


def test_models_in_the_decoder_score_as_in_rescoring(copy_of_finished):
    inside = ["kn5", "nce", "by_class", "schwenk2010_tm3"]
    systems = {
        "inside": {"label": "inside", "language_models": inside},
        "twice": {"label": "twice", "decoded_by": "inside", "rescored_with": inside[1:]},
    }
    tuning = {"method": "lattice-mert", "restarts": 5, "max_iterations": 2}
    models = {"by_class": {"kind": "class-ngram", "order": 4}}
    change(copy_of_finished, systems=systems, tuning=tuning, language_models=models)
    path = f"{PAIR}/rescore/twice/run1/test.scores.tsv.gz"
    succeeded(run_snakemake(copy_of_finished, path))
    decoded = copy_of_finished / PAIR / "decode/inside/run1/test.nbest.gz"
    nbest = read_scored(decoded, copy_of_finished / path)
    labels = [label for label, width in nbest.feature_names for _ in range(width)]
    found = [label for label in labels if label[:2] in ("LM", "NL", "TM")]
    assert found == ["LM0", "NLM0", "LM1", "TM0", "NLM1", "LM2", "TM1"]
    column = {label: nbest.features[:, labels.index(label)] for label in found}
    for one, other in (("NLM0", "NLM1"), ("LM1", "LM2")):
        # A list has six digits.
        assert np.allclose(column[one], column[other], rtol=1e-5, atol=1e-4)
    same = np.isclose(column["TM0"], column["TM1"], rtol=1e-5, atol=1e-3)
    assert same.mean() > 0.5  # of the others a word without links is at the border of a phrase
    assert len(nbest) > 1000


def test_texts_sets_and_settings_of_systems(copy_of_finished):
    """Samples, several texts, adaptation, a set of another corpus, features left out."""
    for language in ("fr", "en"):  # a text that has the test set, which is left out of it
        test = list(read_lines(copy_of_finished / f"corpus/test.{language}"))
        too_long = [" ".join([line] * 81) for line in test[:3]]
        lines = [*(f"{line} again" for line in test), *test, *too_long]
        write_lines(copy_of_finished / f"corpus/other.{language}", lines)
    other = {
        "kind": "file",
        "languages": {"fr": "French", "en": "English"},
        "files": {
            "train": {"fr": "corpus/other.fr", "en": "corpus/other.en"},
            "dev": {"fr": "corpus/dev.fr", "en": ["corpus/dev.en", "corpus/dev.en"]},
        },
        "split": {"test": 5, "min_tokens": 1},
    }
    change(
        copy_of_finished,
        runs=1,
        corpora=yaml.safe_load((copy_of_finished / "tiny.yaml").read_text())["corpora"]
        | {"other": other},
        texts={
            "half": {"share": 0.5},
            "tenth": {"share": 0.1},
            "more": {"corpora": ["bitext", "other"], "vocabulary": "own", "most_frequent": 40},
        },
        held_out={
            "news": {"corpus": "other", "part": "dev"},
            "news_test": {"corpus": "other", "part": "test"},
            "news_train": {"corpus": "other", "part": "train"},
        },
        language_models={
            "kn4": {"kind": "ngram", "order": 4, "texts": ["more"]},
            "two": SMALL | {"texts": ["half", "tenth"], "resampling": [0.5, 1], "class_count": 9},
            "joint": {**SMALL, "source": "window", "epochs": 1},
            "of_news": {
                **{"kind": "neural", "source": "window", "epochs": 1},
                **{"start_from": "joint", "bitext": "other"},
            },
        },
        systems={
            "small": {
                "label": "small",
                "language_models": ["kn4", "kn5"],
                "tuning": {"left_out": ["TranslationModel0.2"], "nbest": 20},
                "test_sets": ["test", "news"],
                "baseline": "small",
            },
            "reranked": {
                "label": "reranked",
                "decoded_by": "small",
                "rescored_with": ["two"],
                "rescoring": {"nbest": 50, "method": "mert", "objective": "ter-bleu"},
                "test_sets": ["test", "news"],
                "baseline": "small",
            },
        },
    )
    wanted = (f"{PAIR}/eval/reranked.json", f"{PAIR}/lm/of_news/run1/perplexity.json")
    succeeded(run_snakemake(copy_of_finished, *wanted))
    folder = copy_of_finished / PAIR
    drawn = [set(read_lines(folder / f"raw/{name}.fr.gz")) for name in ("news_test", "news_train")]
    assert len(drawn[0]) >= 5
    assert drawn[1]
    assert not drawn[0] & drawn[1]
    learnt = read_lines(folder / "text/news_train.fr.gz")
    assert max(len(line.split()) for line in learnt) <= 80 < max(map(len, map(str.split, drawn[1])))
    measured = json.loads((folder / "lm/of_news/run1/perplexity.json").read_text())
    assert measured["test"]["sentences"] == len(list(read_lines(folder / "text/news_test.fr.gz")))
    half, tenth = (list(read_lines(folder / f"texts/{name}.gz")) for name in ("half", "tenth"))
    assert len(half) == 300
    assert Counter(tenth) <= Counter(half)
    more = list(read_lines(folder / "texts/more.gz"))
    tested = [line for line in read_lines(folder / "raw/news_test.en.gz") if "again" in line]
    assert len(more) == 600 + 30 - len(tested)
    assert len({word for line in more for word in line.split()} - {"<unk>"}) == 40
    scores = json.loads((folder / "eval/reranked.json").read_text())["scores"]
    assert list(scores) == ["test", "news", "average"]
    assert "nrefs:2" in scores["news"]["BLEU"]["signature"]
    for path in ("tune/small/run1/weights.json", "rescore/reranked/run1/weights.json"):
        weights = json.loads((folder / path).read_text())["weights"]
        assert weights["TranslationModel0"][2] == 0
        assert all(weights["TranslationModel0"][place] != 0 for place in (0, 1, 3))
    scores = folder / "rescore/reranked/run1/dev.scores.tsv.gz"
    nbest = read_scored(folder / "decode/small/run1/dev.nbest.gz", scores)
    assert len(nbest) <= 50 * 30
    classes = list(read_lines(folder / "classes/half+tenth/brown.9.tsv"))
    assert len({line.split("\t")[0] for line in classes}) <= 9
    measures = json.loads((folder / "classes/half+tenth/brown.9.metrics.json").read_text())
    assert measures["words"] == len(classes)
    assert measures["expected_products"] > measures["classes"]
