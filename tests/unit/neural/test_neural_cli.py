import json
from pathlib import Path

import numpy as np
import pytest

from nlmt.cli import main
from nlmt.neural import Trainer

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("parts", ["order: 3", "network: lstm\nobjective: likelihood"])
def test_train_perplexity_score_info(tmp_path, texts, capsys, parts):
    train, dev, classes = map(str, texts)
    config, out = tmp_path / "model.yaml", tmp_path / "model"
    config.write_text(f"kind: neural\ndim: 16\nepochs: 2\n{parts}\n")
    arguments = ["--config", str(config), "--train", train, "--dev", dev, "--classes", classes]
    assert main(["lm", "train", *arguments, "--out", str(out), "--threads", "1"]) == 0
    assert "dev perplexity: " in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == [
        "classes.tsv",
        "config.json",
        "log.tsv",
        "metrics.json",
        "model.safetensors",
        "vocabulary.txt",
    ]
    metrics = json.loads((out / "metrics.json").read_text())

    assert main(["lm", "perplexity", str(out), dev]) == 0
    assert f"perplexity: {metrics['dev']['perplexity']:.4f}\n" in capsys.readouterr().out
    assert main(["lm", "score", str(out), dev]) == 0
    scores = [float(line) for line in capsys.readouterr().out.split()]
    assert len(scores) == 80
    assert sum(scores) == pytest.approx(metrics["dev"]["log_probability"], rel=1e-5)
    assert main(["lm", "score", str(out), dev, "--words"]) == 0
    lines = capsys.readouterr().out.splitlines()
    added = [sum(map(float, line.split())) for line in lines]
    assert added == pytest.approx(scores, abs=1e-4)
    assert len(lines[0].split()) == len(texts[1].read_text().splitlines()[0].split()) + 1
    assert main(["lm", "info", str(out)]) == 0
    described = capsys.readouterr().out
    assert parts.splitlines()[0] in described
    words = (out / "vocabulary.txt").read_text().split()
    assert f"words: {len(words) - 3}, and <unk>, <s>, </s>\n" in described


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("ordr: 3\n", "ordr: unknown key"),
        ("a: [\n", "not YAML"),
        ("- 3\n", "not a mapping"),
    ],
)
def test_mistakes_in_the_configuration(tmp_path, texts, capsys, content, says):
    (tmp_path / "model.yaml").write_text(content)
    train, dev, _ = map(str, texts)
    arguments = ["--config", str(tmp_path / "model.yaml"), "--train", train, "--dev", dev]
    assert main(["lm", "train", *arguments, "--out", str(tmp_path / "m")]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def printed(text):
    return dict(line.split(": ", 1) for line in text.splitlines())


@pytest.fixture
def small_model(tmp_path, make_task):
    result = Trainer(make_task(dim=8, order=3, epochs=1)).run()
    result.model.save(tmp_path / "small")
    return str(tmp_path / "small")


def test_interpolation_of_neural_and_kenlm(tmp_path, texts, capsys, small_model):
    kenlm, dev = str(GOLDEN / "model" / "lm.arpa.gz"), str(texts[1])
    alone = {}
    for model in (small_model, kenlm):
        assert main(["lm", "perplexity", model, dev]) == 0
        alone[model] = printed(capsys.readouterr().out)
    both = ["lm", "perplexity", small_model, kenlm, dev]
    assert main([*both, "--interpolate", "1", "0"]) == 0
    found = printed(capsys.readouterr().out)
    assert found["perplexity"] == alone[small_model]["perplexity"]
    # The text has words that one of the models lacks, and fewer that both do.
    oov = [int(values["words"].split()[-1]) for values in (*alone.values(), found)]
    assert oov[2] <= min(oov[:2])
    assert main(both) == 0
    captured = capsys.readouterr()
    equal = float(printed(captured.out)["perplexity"])
    assert captured.err.endswith(f"{small_model}: weight 0.5000\n{kenlm}: weight 0.5000\n")
    assert main([*both, "--interpolate-on", dev]) == 0
    captured = capsys.readouterr()
    tuned = float(printed(captured.out)["perplexity"])
    assert tuned <= equal
    assert tuned <= min(float(values["perplexity"]) for values in alone.values())
    assert f"{kenlm}: weight " in captured.err
    # The mean of probabilities, word by word.
    words = []
    for models in ([small_model], [kenlm], [small_model, kenlm]):
        assert main(["lm", "score", *models, dev, "--words"]) == 0
        words.append([float(word) for word in capsys.readouterr().out.split()])
    mean = np.log(np.exp(words[:2]).mean(axis=0))
    assert words[2] == pytest.approx(mean.tolist(), abs=1e-5)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--interpolate", "1", "2"], "needs two models"),
        (["m", "--interpolate", "1"], "a weight for each model"),
        (["m", "--unnormalised"], "cannot be interpolated"),
    ],
)
def test_models_and_options_that_do_not_fit(small_model, texts, capsys, more, says):
    models = [small_model, *(small_model for one in more if one == "m")]
    with pytest.raises(SystemExit):
        main(["lm", "score", *models, str(texts[1]), *(one for one in more if one != "m")])
    assert says in capsys.readouterr().err


def test_unnormalised_scores_are_of_neural_models(texts, capsys):
    command = ["lm", "score", str(GOLDEN / "model/lm.arpa.gz"), str(texts[1]), "--unnormalised"]
    assert main(command) == 1
    assert "is for neural models" in capsys.readouterr().err


def test_fine_tuning(tmp_path, texts, capsys):
    train, dev, classes = map(str, texts)
    (tmp_path / "first.yaml").write_text("order: 3\ndim: 16\nepochs: 1\n")
    (tmp_path / "further.yaml").write_text("epochs: 2\nresampling: [0.5, 1]\n")
    first = ["--config", str(tmp_path / "first.yaml"), "--train", train, "--dev", dev]
    model = str(tmp_path / "model")
    assert main(["lm", "train", *first, "--classes", classes, "--out", model]) == 0
    further = ["--config", str(tmp_path / "further.yaml"), "--train", train, dev, "--dev", dev]
    arguments = ["lm", "train", *further, "--out", str(tmp_path / "adapted"), "--from", model]
    assert main(arguments) == 0
    config = json.loads((tmp_path / "adapted" / "config.json").read_text())["model"]
    assert (config["order"], config["dim"], config["resampling"]) == (3, 16, [0.5, 1.0])
    assert main(arguments) == 1
    assert "the folder has a trained model" in capsys.readouterr().err
    arguments.append("--overwrite")
    for option, path in (("--classes", classes), ("--source-embeddings", model)):
        with pytest.raises(SystemExit, match="2"):
            main([*arguments, option, path])
        assert f"{option} has no effect with --from" in capsys.readouterr().err
