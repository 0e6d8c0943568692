import json

import pytest

from nlmt.cli import main


@pytest.mark.parametrize("parts", ["order: 3", "network: lstm\nobjective: likelihood"])
def test_train_perplexity_score_info(tmp_path, texts, capsys, parts):
    train, dev, classes = map(str, texts)
    config, out = tmp_path / "model.yaml", tmp_path / "model"
    config.write_text(f"kind: neural\ndim: 16\npasses: 2\n{parts}\n")
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
    assert main(["lm", "info", str(out)]) == 0
    assert parts.splitlines()[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("ordr: 3\n", "unknown key 'ordr'"),
        ("a: [\n", "no YAML"),
        ("- 3\n", "no mapping"),
    ],
)
def test_mistakes_in_the_configuration(tmp_path, texts, capsys, content, says):
    (tmp_path / "model.yaml").write_text(content)
    train, dev, _ = map(str, texts)
    arguments = ["--config", str(tmp_path / "model.yaml"), "--train", train, "--dev", dev]
    assert main(["lm", "train", *arguments, "--out", str(tmp_path / "m")]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_fine_tuning(tmp_path, texts, capsys):
    train, dev, classes = map(str, texts)
    (tmp_path / "first.yaml").write_text("order: 3\ndim: 16\npasses: 1\n")
    (tmp_path / "further.yaml").write_text("passes: 2\nresampling: [0.5, 1]\n")
    first = ["--config", str(tmp_path / "first.yaml"), "--train", train, "--dev", dev]
    model = str(tmp_path / "model")
    assert main(["lm", "train", *first, "--classes", classes, "--out", model]) == 0
    further = ["--config", str(tmp_path / "further.yaml"), "--train", train, dev, "--dev", dev]
    arguments = ["lm", "train", *further, "--out", str(tmp_path / "adapted"), "--from", model]
    assert main(arguments) == 0
    config = json.loads((tmp_path / "adapted" / "config.json").read_text())["model"]
    assert (config["order"], config["dim"], config["resampling"]) == (3, 16, [0.5, 1.0])
    assert main([*arguments, "--classes", classes]) == 1
    assert "--classes has no effect with --from" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["train", "perplexity", "score", "info"])
def test_help(capsys, command):
    with pytest.raises(SystemExit) as end:
        main(["lm", command, "--help"])
    assert end.value.code == 0
    assert "nlmt lm" in capsys.readouterr().out
