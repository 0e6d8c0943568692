"""The scores of a system over its runs and test sets, and the command that prints them."""

import json

import numpy as np
import pytest

from nlmt.cli.evaluate import run
from nlmt.errors import InputError
from nlmt.evaluation import EvaluationSet, evaluate_system
from nlmt.text import Detokeniser, Tokeniser


def corpus(seed, sentences, quality):
    """Lines of a random system that gets each word right with `quality`, and references."""
    rng = np.random.default_rng(0)
    references = [[f"w{i}" for i in rng.integers(50, size=12)] for _ in range(sentences)]
    rng = np.random.default_rng(seed)
    lines = [
        " ".join(word if rng.random() < quality else "x" for word in words) for words in references
    ]
    return lines, [" ".join(words) for words in references]


def evaluation_set(name="test", better=0.9):
    base, references = corpus(1, 60, 0.7)
    runs = [corpus(seed, 60, better)[0] for seed in (2, 3)]
    return EvaluationSet(name, runs, [base, base], [references])


def test_system_and_baseline():
    scores = evaluate_system(
        "nlm", [evaluation_set()], baseline="base", seeds=[1, 2], label="+ neural", resamples=200
    )
    assert list(scores.scores) == ["test"]
    assert list(scores.scores["test"]) == ["BLEU", "TER", "chrF"]
    for name, sign in (("BLEU", 1), ("TER", -1), ("chrF", 1)):
        metric = scores.scores["test"][name]
        assert metric.mean == pytest.approx(np.mean(metric.runs))
        assert metric.stdev == pytest.approx(np.std(metric.runs, ddof=1))
        assert metric.difference * sign > 5
        assert metric.p_bootstrap < 0.01
        assert metric.p_randomisation < 0.01
        assert metric.sampling_stdev > 0
    assert json.loads(json.dumps(scores.to_dict()))["label"] == "+ neural"


def test_baseline_is_not_compared_with_itself():
    base, references = corpus(1, 20, 0.7)
    test_set = EvaluationSet("test", [base], [base], [references])
    scores = evaluate_system("base", [test_set], baseline="base", seeds=[1], resamples=20)
    metric = scores.scores["test"]["BLEU"]
    assert (metric.p_bootstrap, metric.p_randomisation, metric.difference) == (None, None, None)
    assert metric.stdev is None
    with pytest.raises(InputError, match="1 runs, but 2 seeds"):
        evaluate_system("base", [test_set], baseline="base", seeds=[1, 2])


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
    with pytest.raises(InputError, match="test sets named one, one"):
        evaluate_system("nlm", [sets[0], sets[0]], baseline="base", seeds=[1, 2])


def test_detokenised_text_is_scored_by_its_own_tokenisation():
    raw = ["Click Insert - Chart, then press “OK”.", "It's (almost) done!"]
    tokens = [Tokeniser("en")(line) for line in raw]
    test_set = EvaluationSet("test", [tokens], [], [tokens], [raw], "en")
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


def test_command_prints_scores_and_significance(tmp_path, capsys):
    test_set = evaluation_set()
    reference = write(tmp_path, "ref", test_set.references[0])
    runs = [write(tmp_path, f"run{i}", lines) for i, lines in enumerate(test_set.hypotheses)]
    base = [write(tmp_path, f"base{i}", lines) for i, lines in enumerate(test_set.baseline)]
    arguments = ["--reference", reference, "--hypotheses", *runs, "--baseline", *base]
    arguments += ["--raw-reference", reference, "--language", "en", "--resamples", "50"]
    arguments += ["--side-by-side", str(tmp_path / "page.html"), "--source", reference]
    assert run([*arguments, "--json", str(tmp_path / "scores.json")]) == 0
    text = capsys.readouterr().out
    for name in ("BLEU", "TER", "chrF", "detokenised BLEU", "nrefs:1|case:lc"):
        assert name in text
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert len(scores["test"]["BLEU"]["runs"]) == 2
    assert "of 60 translations differ" in (tmp_path / "page.html").read_text()


def test_command_takes_several_test_sets(tmp_path, capsys):
    lines, references = corpus(1, 10, 0.8)
    files = ["--reference", write(tmp_path, "ref", references)]
    files += ["--hypotheses", write(tmp_path, "hyp", lines)]
    assert run([*files, *files, "--name", "a", "--name", "b", "--resamples", "10"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("\na ", "\nb ", "\naverage "))
    with pytest.raises(SystemExit):
        run([*files, *files, "--name", "a"])
