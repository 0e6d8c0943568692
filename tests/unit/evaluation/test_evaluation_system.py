"""The scores of a system over its runs and test sets, and the command that prints them."""

import json
from functools import partial

import numpy as np
import pytest
import sacrebleu
from constructed import corpus

from nlmt.cli import run_command
from nlmt.errors import InputError
from nlmt.evaluation import EvaluationSet, evaluate_system, read_evaluation_set
from nlmt.text import Detokeniser, Tokeniser

run = partial(run_command, "evaluate")


def evaluation_set(name="test", better=0.9):
    base, references = corpus(1, 60, 0.7)
    runs = [corpus(seed, 60, better)[0] for seed in (2, 3)]
    return EvaluationSet(name, runs, [references], {"base": [base, base]})


def test_system_and_baseline():
    scores = evaluate_system(
        "nlm", [evaluation_set()], baseline="base", seeds=[1, 2], label="+ neural", resamples=200
    )
    assert list(scores.scores) == ["test"]
    assert list(scores.scores["test"]) == ["BLEU", "TER", "chrF", "(TER-BLEU)/2"]
    for name, sign in (("BLEU", 1), ("TER", -1), ("chrF", 1), ("(TER-BLEU)/2", -1)):
        metric = scores.scores["test"][name]
        assert metric.mean == pytest.approx(np.mean(metric.runs))
        assert metric.stdev == pytest.approx(np.std(metric.runs, ddof=1))
        assert metric.difference * sign > 5
        assert metric.p_value < 0.05
        assert metric.low < metric.difference < metric.high
        assert metric.low * metric.high > 0
        assert metric.sampling_stdev > 0
    assert json.loads(json.dumps(scores.to_dict()))["label"] == "+ neural"


def test_baseline_is_not_compared_with_itself():
    base, references = corpus(1, 20, 0.7)
    test_set = EvaluationSet("test", [base], [references], {"base": [base]})
    scores = evaluate_system("base", [test_set], baseline="base", seeds=[1], resamples=20)
    metric = scores.scores["test"]["BLEU"]
    assert (metric.p_value, metric.low, metric.difference) == (None, None, None)
    assert metric.stdev is None
    assert metric.comparisons == {}
    with pytest.raises(InputError, match="1 runs, but 2 seeds"):
        evaluate_system("base", [test_set], baseline="base", seeds=[1, 2])


def test_comparisons_with_any_system():
    test_set = evaluation_set()
    middle = [corpus(seed, 60, 0.8)[0] for seed in (4, 5)]
    others = {**test_set.others, "middle": middle, "nlm": test_set.hypotheses}
    both = EvaluationSet("test", test_set.hypotheses, test_set.references, others)
    scores = evaluate_system("nlm", [both], baseline="base", seeds=[1, 2], resamples=100)
    alone = evaluate_system("nlm", [test_set], baseline="base", seeds=[1, 2], resamples=100)
    for name, metric in scores.scores["test"].items():
        assert list(metric.comparisons) == ["base", "middle"]  # not with itself
        before, after = metric.comparisons["base"], metric.comparisons["middle"]
        assert (metric.difference, metric.p_value) == (before.difference, before.p_value)
        assert alone.scores["test"][name].comparisons == {"base": before}
        assert 0 < abs(after.difference) < abs(before.difference)
    # The difference is antisymmetric, its significance symmetric.
    swapped = EvaluationSet("test", middle, test_set.references, {"nlm": test_set.hypotheses})
    back = evaluate_system("middle", [swapped], baseline="nlm", seeds=[1, 2], resamples=100)
    bleu = back.scores["test"]["BLEU"].comparisons["nlm"]
    forth = scores.scores["test"]["BLEU"].comparisons["middle"]
    assert bleu.difference == pytest.approx(-forth.difference)
    assert bleu.p_value == forth.p_value
    assert (bleu.low, bleu.high) == pytest.approx((-forth.high, -forth.low))
    with pytest.raises(InputError, match="test: no translations of the baseline other"):
        evaluate_system("nlm", [test_set], baseline="other", seeds=[1, 2])


def test_several_references_against_sacrebleu(tmp_path):
    hypotheses, first = corpus(2, 40, 0.8)
    references = [first, *(corpus(seed, 40, 0.6)[0] for seed in (7, 8, 9))]
    paths = [write(tmp_path, f"ref{i}", lines) for i, lines in enumerate(references)]
    raw = [write(tmp_path, f"raw{i}", lines) for i, lines in enumerate(references)]
    hyp = write(tmp_path, "hyp", hypotheses)
    test_set = read_evaluation_set("test", [hyp], paths, raw_references=raw, language="en")
    scores = evaluate_system("s", [test_set], baseline="s", seeds=[1], resamples=20).scores["test"]
    bleu = sacrebleu.BLEU(tokenize="none", lowercase=True, force=True)
    ter, chrf = sacrebleu.TER(), sacrebleu.CHRF(lowercase=True)
    for name, metric in (("BLEU", bleu), ("TER", ter), ("chrF", chrf)):
        assert scores[name].mean == metric.corpus_score(hypotheses, references).score
        assert "nrefs:4" in scores[name].signature
    half = (scores["TER"].mean - scores["BLEU"].mean) / 2
    assert scores["(TER-BLEU)/2"].mean == pytest.approx(half)
    assert scores["detokenised BLEU"].mean == pytest.approx(scores["BLEU"].mean)
    with pytest.raises(InputError, match=r"short: 3 lines, but .*ref0 has 40"):
        read_evaluation_set("test", [hyp], [*paths, write(tmp_path, "short", ["a"] * 3)])


def test_average_over_test_sets():
    sets = [evaluation_set("one"), evaluation_set("two", better=0.8)]
    scores = evaluate_system("nlm", sets, baseline="base", seeds=[1, 2], resamples=20).scores
    assert list(scores) == ["one", "two", "average"]
    for i in range(2):
        both = [scores[name]["TER"].runs[i] for name in ("one", "two")]
        assert scores["average"]["TER"].runs[i] == pytest.approx(np.mean(both))
    assert scores["average"]["BLEU"].difference == pytest.approx(
        np.mean([scores[name]["BLEU"].difference for name in ("one", "two")])
    )
    compared = {name: scores[name]["BLEU"].comparisons["base"] for name in scores}
    deviations = {name: one.deviation for name, one in compared.items()}
    assert 0 < deviations["average"] < max(deviations["one"], deviations["two"])
    assert compared["average"].p_value == scores["average"]["BLEU"].p_value > 0
    with pytest.raises(InputError, match="test sets named one, one"):
        evaluate_system("nlm", [sets[0], sets[0]], baseline="base", seeds=[1, 2])


def test_detokenised_text_is_scored_by_its_own_tokenisation():
    raw = ["Click Insert - Chart, then press “OK”.", "It's (almost) done!"]
    tokens = [Tokeniser("en")(line) for line in raw]
    test_set = EvaluationSet("test", [tokens], [tokens], {}, [raw], "en")
    scores = evaluate_system("base", [test_set], baseline="base", seeds=[1], resamples=20).scores
    assert "tok:13a" in scores["test"]["detokenised BLEU"].signature
    assert scores["test"]["detokenised TER"].mean < 20
    assert scores["test"]["BLEU"].mean == pytest.approx(100)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "the cell's value (see a1) is 3.5%, isn't it?"),
        ("en", "a | b"),
        ("zh", "打开文件。"),
        ("ja", "ファイルを開く、表計算。"),
        ("de", "die zelle a1 ist leer; öffnen sie sie."),
    ],
)
def test_detokeniser_undoes_the_tokeniser(language, text):
    assert Detokeniser(language)(Tokeniser(language)(text)) == text


def write(folder, name, lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


@pytest.fixture
def files(tmp_path):
    """The files of an evaluation set: its reference, runs, and runs of the baseline."""
    test_set = evaluation_set()
    runs, base = (
        [write(tmp_path, f"{name}{i}", lines) for i, lines in enumerate(texts)]
        for name, texts in (("run", test_set.hypotheses), ("base", test_set.others["base"]))
    )
    return write(tmp_path, "ref", test_set.references[0]), runs, base


def test_command_prints_scores_and_significance(files, tmp_path, capsys):
    reference, runs, base = files
    arguments = ["--reference", reference, "--hypotheses", *runs, "--baseline", *base]
    arguments += ["--raw-reference", reference, "--language", "en", "--resamples", "50"]
    arguments += ["--side-by-side", str(tmp_path / "page.html"), "--source", reference]
    assert run([*arguments, "--json", str(tmp_path / "scores.json")]) == 0
    text = capsys.readouterr().out
    for name in ("BLEU", "TER", "chrF", "detokenised BLEU", "nrefs:1|case:lc"):
        assert name in text
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert len(scores["test"]["BLEU"]["runs"]) == 2
    assert scores["test"]["BLEU"]["comparisons"]["baseline"]["p_value"] < 0.05
    assert "of 60 translations differ" in (tmp_path / "page.html").read_text()


def test_command_takes_several_references_and_systems(files, capsys):
    reference, (run1, _), (base, _) = files
    arguments = ["--reference", *[reference] * 3, "--hypotheses", run1, "--resamples", "20"]
    assert run([*arguments, "--against", "shallow", base, "--against", "copy", run1]) == 0
    text = capsys.readouterr().out
    assert "nrefs:3" in text
    assert "gain" not in text.splitlines()[0]  # no baseline
    rows = [line.split() for line in text.splitlines() if " shallow " in line]
    assert [row[1] for row in rows] == ["BLEU", "TER", "chrF", "(TER-BLEU)/2"]
    (equal,) = (line.split() for line in text.splitlines() if " BLEU " in line and " copy " in line)
    assert equal[-5:] == ["+0.00", "+0.00", "to", "+0.00", "1.000"]


def test_command_prints_tests_of_other_programs(files, capsys):
    reference, runs, base = files
    arguments = ["--reference", reference, "--hypotheses", *runs, "--baseline", *base]
    arguments += ["--metrics", "bleu", "--resamples", "19"]
    assert run([*arguments, "--tests", "bootstrap", "randomisation", "--paired", "baseline"]) == 0
    heading, row = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert heading.endswith("p bootstrap  p randomisation")
    assert row.split()[-2:] == ["0.050", "0.050"]  # no draw of 19 is as large
    with pytest.raises(SystemExit):
        run([*arguments, "--paired", "other"])
    assert "--paired other: there are baseline" in capsys.readouterr().err


def test_command_compares_different_numbers_of_runs(files, capsys):
    reference, runs, (base, _) = files
    arguments = ["--reference", reference, "--hypotheses", *runs, "--baseline", base]
    assert run([*arguments, "--metrics", "bleu"]) == 0
    assert " BLEU " in capsys.readouterr().out
    for more in (["--paired", "baseline"], ["--tests", "bootstrap"]):
        with pytest.raises(SystemExit):
            run([*arguments, *more])
        assert "2 runs, but 1 files of the baseline" in capsys.readouterr().err
    for wrong in (["--against", "shallow"], ["--against", "system", base]):
        with pytest.raises(SystemExit):
            run([*arguments, *wrong])
    assert "--against needs a name" in capsys.readouterr().err


def test_command_takes_several_test_sets(tmp_path, capsys):
    lines, references = corpus(1, 10, 0.8)
    files = ["--reference", write(tmp_path, "ref", references)]
    files += ["--hypotheses", write(tmp_path, "hyp", lines)]
    assert run([*files, *files, "--name", "a", "--name", "b", "--resamples", "10"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("\na ", "\nb ", "\naverage "))
    with pytest.raises(SystemExit):
        run([*files, *files, "--name", "a"])


def test_command_names_options_as_they_are_written(tmp_path, capsys):
    file = write(tmp_path, "hyp", ["a b"])
    raw = ["--raw-reference", file, "--raw-reference", file]
    with pytest.raises(SystemExit):
        run(["--reference", file, "--hypotheses", file, *raw])
    assert "1 times --hypotheses, but 2 times --raw-reference" in capsys.readouterr().err
