"""What can be checked without the libraries of pretrained models."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.kinds import KINDS, load_language_model
from nlmt.lm import TrainingData
from nlmt.pretrained import PretrainedModel, PretrainedSettings
from nlmt.pretrained.batches import Window, batches, windows
from nlmt.pretrained.folder import model_files
from nlmt.settings_check import read_settings

VALUES = {"kind": "pretrained", "path": "models/x", "language": "en"}
FILES = ("config.json", "tokenizer.json", "model.safetensors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tmp_path / "model"
    model.mkdir()
    for name in FILES:
        (model / name).write_text('{"model_type": "gpt2"}')
    return model


def test_keys() -> None:
    settings = read_settings(PretrainedSettings, VALUES)
    assert (settings.casing, settings.end, settings.batch_tokens) == ("as-is", "eos", 2048)
    assert read_settings(PretrainedSettings, VALUES | {"language": None}).language is None
    for values, message in (
        ({"kind": "pretrained", "path": "x"}, "language: this key is missing"),
        (VALUES | {"path": ""}, "path"),
        (VALUES | {"batch_tokens": 0}, "batch_tokens: 0 must be at least 1"),
        (VALUES | {"casing": "upper"}, "casing: 'upper' is not allowed"),
    ):
        with pytest.raises(InputError) as error:
            read_settings(PretrainedSettings, values)
        assert message in str(error.value)


def test_the_plan() -> None:
    kind = KINDS.get("pretrained")
    settings = read_settings(PretrainedSettings, VALUES)
    plan = kind.plan(settings)
    assert "do not decode" in plan.unfit
    assert (plan.decoder, plan.source, plan.classes) == (None, "none", None)
    # Snakemake says what is missing.
    assert plan.inputs == ("models/x/config.json",)
    for changes, message in (
        ({"language": "xx-"}, "xx-"),
        ({"units": "tuples"}, "units: tuples"),
    ):
        with pytest.raises(InputError, match=message):
            kind.plan(read_settings(PretrainedSettings, VALUES | changes))


def test_files_of_a_model(folder: Path) -> None:
    for name in ("README.md", ".git/config.json", ".cache/huggingface/x.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    assert [path.name for path in model_files(folder)] == sorted(FILES)
    for name in ("tokenizer_config.json", "merges.txt", "part/tokenizer.4.0.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
        assert folder / name in model_files(folder)
    settings = read_settings(PretrainedSettings, VALUES | {"path": str(folder)})
    inputs = KINDS.get("pretrained").plan(settings).inputs
    assert inputs == tuple(map(str, model_files(folder)))
    with pytest.raises(InputError, match="none: no such folder"):
        model_files(folder / "none")


@pytest.mark.parametrize("name", FILES)
def test_missing_files(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match=r"no (config|tokenizer|\*)"):
        model_files(folder)


@pytest.mark.parametrize(
    "name", ["modeling_x.py", "pytorch_model.bin", "sub/x.pkl", "model.pt", "a/b/c.so"]
)
def test_files_that_may_hold_code_are_refused(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    with pytest.raises(InputError, match="code"):
        model_files(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_configurations_that_name_code_are_refused(folder: Path, name: str) -> None:
    (folder / name).write_text('{"auto_map": {"AutoModel": "modeling_x.Mine"}}')
    with pytest.raises(InputError, match="auto_map"):
        model_files(folder)


def test_what_stands_for_a_model(folder: Path, tmp_path: Path) -> None:
    kind = KINDS.get("pretrained")
    assert kind.find(folder) == folder
    assert kind.find(tmp_path) is None
    for name, content in (
        ("lm.yaml", "kind: pretrained\n"),
        ("lm.yml", "kind: pretrained\npath: x"),
        ("lm.json", '{"kind": "pretrained"}'),
    ):
        (tmp_path / name).write_text(content)
        assert kind.find(tmp_path / name) == tmp_path / name
    for name, content in (
        ("lm.txt", "kind: pretrained\n"),
        ("other.yaml", "kind: neural\n"),
        ("broken.yaml", "{"),
        ("list.json", "[1]"),
        ("broken.json", "{"),
    ):
        (tmp_path / name).write_text(content)
        assert kind.find(tmp_path / name) is None
    # The folder of a neural model has a config.json and model.safetensors, too.
    (folder / "config.json").write_text('{"model": {"order": 5}}')
    assert kind.find(folder) is None


def test_training_describes_the_model(folder: Path, tmp_path: Path) -> None:
    kind = KINDS.get("pretrained")
    settings = read_settings(kind.settings, VALUES | {"path": str(folder)})
    kind.train(settings, TrainingData([], dev=tmp_path / "dev"), tmp_path / "lm", threads=1)
    described: dict[str, Any] = json.loads((tmp_path / "lm/pretrained.json").read_text())
    assert described["path"] == str(folder)
    assert sorted(described["sha256"]) == sorted(FILES)
    assert kind.find(tmp_path / "lm") == tmp_path / "lm/pretrained.json"
    (folder / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"config.json: the model has changed"):
        load_language_model(tmp_path / "lm")


def test_training_reads_no_source(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, text = tmp_path / "lm.yaml", tmp_path / "text"
    config.write_text(f"{{kind: pretrained, path: {folder}, language: en, source_language: fr}}\n")
    text.write_text("a\n")
    texts = [word for name in ("train", "dev") for word in (f"--{name}", f"--{name}-source")]
    arguments = [word for option in texts for word in (option, str(text))]
    command = ["lm", "train", "--config", str(config), *arguments, "--out", str(tmp_path / "lm")]
    assert main(command) == 1
    assert "--train-source has no effect on kind: pretrained" in capsys.readouterr().err


def test_a_malformed_description_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pretrained.json"
    for content in ("", "{", "[1]", "null", "[" * 10_000):
        path.write_text(content)
        for given in (tmp_path, path):
            with pytest.raises(InputError, match=r"pretrained\.json:.*make it again"):
                load_language_model(given)


def test_a_malformed_file_of_the_user_is_refused(tmp_path: Path) -> None:
    kind = KINDS.get("pretrained")
    for name, content, message in (
        ("lm.yaml", b"kind: [", r"lm\.yaml:\d+: not YAML"),
        ("lm.yaml", b"kind: \xff", r"lm\.yaml: not UTF-8"),
        ("lm.yml", b"- 1", r"lm\.yml: not a mapping .*write: kind: pretrained"),
        ("lm.yaml", b" " * (1 << 20) + b"{}", r"lm\.yaml: too large .*the right file"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=message):
            kind.load(tmp_path / name)


@pytest.mark.parametrize("hashes", [None, [], "0" * 64, 7, True])
@pytest.mark.parametrize("name", ["pretrained.json", "own.json"])
def test_hashes_that_are_no_mapping_are_refused(
    folder: Path, tmp_path: Path, name: str, hashes: object
) -> None:
    values = VALUES | {"path": str(folder), "sha256": hashes}
    (tmp_path / name).write_text(json.dumps(values))
    with pytest.raises(
        InputError, match=rf"{name}: sha256 is not a mapping.*train the model again"
    ):
        load_language_model(tmp_path / name)


def test_hashes_of_training_must_be_there(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pretrained.json").write_text(json.dumps(VALUES | {"path": str(folder)}))
    with pytest.raises(InputError, match=r"pretrained\.json: sha256 is not a mapping"):
        load_language_model(tmp_path)
    (tmp_path / "own.yaml").write_text(
        f"{{kind: pretrained, path: {folder}, language: en, sha256: {{1: x}}}}"
    )
    with pytest.raises(InputError, match="the model has changed"):
        load_language_model(tmp_path / "own.yaml")


def test_missing_libraries_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    settings = read_settings(PretrainedSettings, VALUES | {"path": str(folder)})
    with pytest.raises(InputError, match=r"pretrained models need .*make pretrained"):
        PretrainedModel(settings)


def test_windows_by_hand() -> None:
    sequences = [list(range(9)), [0, 1], [0]]
    cut = [(row.sequence, row.part, row.ids, row.first) for row in windows(sequences, 4)]
    assert cut == [
        (0, 0, [0, 1, 2, 3], 1),
        (0, 1, [2, 3, 4, 5], 2),
        (0, 2, [4, 5, 6, 7], 2),
        (0, 3, [6, 7, 8], 2),
        (1, 0, [0, 1], 1),
        (2, 0, [0], 1),
    ]
    assert [row.ids for row in windows(sequences, None)] == sequences


@pytest.mark.parametrize("length", range(1, 30))
@pytest.mark.parametrize("most", [2, 3, 5, 8])
def test_windows_score_everything_once(length: int, most: int) -> None:
    scored = []
    for row in windows([list(range(length))], most):
        assert len(row.ids) <= most
        assert row.first >= 1
        scored += list(row.ids[row.first :])
    assert scored == list(range(1, length))


def test_batches_by_hand() -> None:
    rows = [Window(n, 0, [0] * length, 1) for n, length in enumerate([3, 1, 4, 2, 3])]
    found = [[(row.sequence, len(row.ids)) for row in batch] for batch in batches(rows, 6)]
    assert found == [[(2, 4)], [(0, 3), (4, 3)], [(3, 2), (1, 1)]]
    assert [len(batch) for batch in batches(rows, 1)] == [1] * 5
    assert list(batches([], 8)) == []


def test_adapters_are_refused(folder: Path) -> None:
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "elsewhere"}')
    with pytest.raises(InputError, match=r"adapter_config\.json: an adapter"):
        model_files(folder)
