import json
from pathlib import Path

import numpy as np
import pytest

from nlmt.neural import Trainer

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("parts", ["order: 3", "network: lstm\nobjective: likelihood"])
def test_train_perplexity_score_info(tmp_path, texts, run, parts):
    train, dev, classes = texts
    config, out = tmp_path / "model.yaml", tmp_path / "model"
    config.write_text(f"kind: neural\ndim: 16\nepochs: 2\n{parts}\n")
    arguments = ["--config", config, "--train", train, "--dev", dev, "--classes", classes]
    assert "dev perplexity: " in run("train", *arguments, "--out", out, "--threads", 1).out
    metrics = json.loads((out / "metrics.json").read_text())
    assert f"perplexity: {metrics['dev']['perplexity']:.4f}\n" in run("perplexity", out, dev).out
    scores = [float(line) for line in run("score", out, dev).out.split()]
    assert len(scores) == 80
    assert sum(scores) == pytest.approx(metrics["dev"]["log_probability"], rel=1e-5)
    lines = run("score", out, dev, "--words").out.splitlines()
    added = [sum(map(float, line.split())) for line in lines]
    assert added == pytest.approx(scores, abs=1e-4)
    assert len(lines[0].split()) == len(dev.read_text().splitlines()[0].split()) + 1
    described = run("info", out).out
    assert parts.splitlines()[0] in described
    words = (out / "vocabulary.txt").read_text().split()
    assert f"words: {len(words) - 3}, and <unk>, <s>, </s>\n" in described


@pytest.mark.parametrize(
    ("content", "says"), [("ordr: 3\n", "ordr: unknown key"), ("- 3\n", "not a mapping")]
)
def test_mistakes_in_the_configuration(tmp_path, texts, run, content, says):
    (tmp_path / "model.yaml").write_text(content)
    train, dev, _ = texts
    arguments = ["--config", tmp_path / "model.yaml", "--train", train, "--dev", dev]
    assert says in run("train", *arguments, "--out", tmp_path / "m", status=1).err
    assert not (tmp_path / "m").exists()


def printed(text):
    return dict(line.split(": ", 1) for line in text.splitlines())


@pytest.fixture
def small_model(tmp_path, make_task):
    result = Trainer(make_task(dim=8, order=3, epochs=1)).run()
    result.model.save(tmp_path / "small")
    return str(tmp_path / "small")


def test_interpolation_of_neural_and_kenlm(texts, run, small_model):
    kenlm, dev = str(GOLDEN / "model" / "lm.arpa.gz"), texts[1]
    models = [small_model, kenlm]
    alone = [printed(run("perplexity", model, dev).out) for model in models]
    found = printed(run("perplexity", *models, dev, "--interpolate", 1, 0).out)
    assert found["perplexity"] == alone[0]["perplexity"]
    # The text has words that one of the models lacks, and fewer that both do.
    oov = [int(values["words"].split()[-1]) for values in (*alone, found)]
    assert oov[2] <= min(oov[:2])
    equal = run("perplexity", *models, dev)
    assert equal.err.endswith(f"{small_model}: weight 0.5000\n{kenlm}: weight 0.5000\n")
    tuned = run("perplexity", *models, dev, "--interpolate-on", dev)
    least = min(float(values["perplexity"]) for values in (*alone, printed(equal.out)))
    assert float(printed(tuned.out)["perplexity"]) <= least
    assert f"{kenlm}: weight " in tuned.err
    # The mean of probabilities, word by word.
    first, second, both = (
        [float(word) for word in run("score", *some, dev, "--words").out.split()]
        for some in ([small_model], [kenlm], models)
    )
    mean = np.log(np.exp([first, second]).mean(axis=0))
    assert both == pytest.approx(mean.tolist(), abs=1e-5)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--interpolate", "1", "2"], "needs two models"),
        (["m", "--interpolate", "1"], "a weight for each model"),
        (["m", "--unnormalised"], "cannot be interpolated"),
    ],
)
def test_models_and_options_that_do_not_fit(small_model, texts, run, capsys, more, says):
    models = [small_model, *(small_model for one in more if one == "m")]
    with pytest.raises(SystemExit):
        run("score", *models, texts[1], *(one for one in more if one != "m"))
    assert says in capsys.readouterr().err


def test_unnormalised_scores_are_of_neural_models(texts, run):
    said = run("score", GOLDEN / "model/lm.arpa.gz", texts[1], "--unnormalised", status=1).err
    assert "is for neural models" in said


def test_fine_tuning(tmp_path, texts, run, capsys):
    train, dev, classes = texts
    (tmp_path / "first.yaml").write_text("order: 3\ndim: 16\nepochs: 1\n")
    (tmp_path / "further.yaml").write_text("epochs: 2\nresampling: [0.5, 1]\n")
    first = ["--config", tmp_path / "first.yaml", "--train", train, "--dev", dev]
    model, adapted = tmp_path / "model", tmp_path / "adapted"
    run("train", *first, "--classes", classes, "--out", model)
    further = ["--config", tmp_path / "further.yaml", "--train", train, dev, "--dev", dev]
    arguments = ["train", *further, "--out", adapted, "--from", model]
    run(*arguments)
    config = json.loads((adapted / "config.json").read_text())["model"]
    assert (config["order"], config["dim"], config["resampling"]) == (3, 16, [0.5, 1.0])
    assert "the folder has a trained model" in run(*arguments, status=1).err
    for option, path in (("--classes", classes), ("--source-embeddings", model)):
        with pytest.raises(SystemExit, match="2"):
            run(*arguments, "--overwrite", option, path)
        assert f"{option} has no effect with --from" in capsys.readouterr().err
