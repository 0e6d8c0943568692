"""Pretrained models against sums by hand of log-softmax, on a small random GPT-2."""

import json
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.nbest import read_nbest
from nlmt.kinds import KINDS, load_language_model, load_stepping_models
from nlmt.lm import TrainingData, WordModel, measure, number_words, vocabulary_facts
from nlmt.pretrained import PretrainedModel, PretrainedSettings
from nlmt.rescoring import rescore
from nlmt.settings_check import read_settings

WHY = "the extra `pretrained` is not installed: make pretrained"
torch = pytest.importorskip("torch", reason=WHY)
transformers = pytest.importorskip("transformers", reason=WHY)
tokenizers = pytest.importorskip("tokenizers", reason=WHY)

LINES = [
    "the red house is at the end of the street .",
    'she said : " it isn \'t ready yet , is it ? "',
    "a red street",
    "",
    "we 'll see the house , the street and the end",
    "it is , as they say , ready",
]
TEXTS = [
    "the red house is at the end of the street.",
    'she said: "it isn\'t ready yet, is it?"',
    "a red street",
    "",
    "we'll see the house, the street and the end",
    "it is, as they say, ready",
]
END, BEGIN = "<|endoftext|>", "<|begin|>"
MORE = [
    f"{a} {b} is {c} ." for a in ("the", "a") for b in ("house", "end") for c in ("red", "ready")
]


def save_tokeniser(folder: Path, kind: str, symbols: Sequence[str]) -> Any:
    """Train a tokeniser on the texts."""
    models, trainers = tokenizers.models, tokenizers.trainers
    if kind == "bpe":
        tokeniser = tokenizers.Tokenizer(models.BPE())
        tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=330,
            special_tokens=list(symbols),
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        )
    else:
        tokeniser = tokenizers.Tokenizer(models.WordLevel(unk_token="<unk>"))  # noqa: S106
        tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        trainer = trainers.WordLevelTrainer(special_tokens=["<unk>", *symbols])
    tokeniser.train_from_iterator(TEXTS, trainer)
    # What a user may have saved with it, and is not to change scores.
    tokeniser.enable_truncation(4)
    tokeniser.enable_padding(length=9)
    tokeniser.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{symbols[0]} $A", special_tokens=[(symbols[0], tokeniser.token_to_id(symbols[0]))]
    )
    tokeniser.save(str(folder / "tokenizer.json"))
    return tokeniser


def save_model(
    folder: Path, kind: str = "bpe", *, bos: bool = False, seed: int = 1, **changes: Any
) -> Path:
    """A small random GPT-2 with a tokeniser."""
    folder.mkdir(parents=True, exist_ok=True)
    symbols = [END, *([BEGIN] if bos else [])]
    tokeniser = save_tokeniser(folder, kind, symbols)
    named = {"eos_token": END, **({"bos_token": {"content": BEGIN}} if bos else {})}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    torch.manual_seed(seed)
    shape = {"n_layer": 2, "n_head": 2, "n_embd": 32, "n_positions": 64, "initializer_range": 0.3}
    config = transformers.GPT2Config(
        vocab_size=tokeniser.get_vocab_size(),
        bos_token_id=tokeniser.token_to_id(symbols[-1]),
        eos_token_id=tokeniser.token_to_id(END),
        **(shape | changes),
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def by_hand(
    folder: Path, texts: Sequence[str], *, begin: str = END, end: bool = True
) -> list[float]:
    """Log-probabilities of texts, one after the other, from the definition."""
    model = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    tokeniser = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokeniser.no_truncation()
    tokeniser.no_padding()
    scores = []
    for text in texts:
        ids = tokeniser.encode(text, add_special_tokens=False).ids
        ids = [tokeniser.token_to_id(begin), *ids, *([tokeniser.token_to_id(END)] if end else [])]
        with torch.no_grad():
            logs = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=1)
        scores.append(sum(float(logs[i, word]) for i, word in enumerate(ids[1:])))
    return scores


def make(folder: Path, threads: int = 1, **values: Any) -> PretrainedModel:
    given = {"kind": "pretrained", "path": str(folder), "language": "en", **values}
    return PretrainedModel(read_settings(PretrainedSettings, given), threads=threads)


def score(model: PretrainedModel, lines: Sequence[str]) -> list[float]:
    scores: list[float] = model.score_sentences(*number_words(model, lines)).tolist()
    return scores


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "gpt2")


@pytest.mark.parametrize("kind", ["bpe", "words"])
def test_scores_are_sums_of_log_softmax(tmp_path: Path, kind: str) -> None:
    folder = save_model(tmp_path / "model", kind)
    found = score(make(folder), LINES)
    assert found == pytest.approx(by_hand(folder, TEXTS), abs=1e-4)
    assert len({round(x, 3) for x in found}) == len(found)


def test_running_text(gpt2: Path) -> None:
    model = make(gpt2)
    assert [model._texts.of_tokens(line.split()) for line in LINES] == TEXTS
    capital = make(gpt2, casing="first-letter")
    assert capital._texts.of_tokens(LINES[1].split()) == TEXTS[1].replace("she", "She")
    assert capital._texts.of_tokens(['"', "ça", "va", "!", '"']).startswith('"Ça')
    assert capital._texts.of_tokens([]) == ""
    tokens = make(gpt2, language=None)
    assert [tokens._texts.of_tokens(line.split()) for line in LINES] == LINES


def test_begin_and_end(tmp_path: Path, gpt2: Path) -> None:
    assert score(make(gpt2, end="none"), LINES) == pytest.approx(
        by_hand(gpt2, TEXTS, end=False), abs=1e-4
    )
    folder = save_model(tmp_path / "bos", bos=True)
    assert score(make(folder), LINES) == pytest.approx(
        by_hand(folder, TEXTS, begin=BEGIN), abs=1e-4
    )


def test_symbols_of_the_configuration(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model", bos=True)
    expected = score(make(folder), LINES)
    (folder / "tokenizer_config.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    tokeniser = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    config |= {"eos_token_id": [tokeniser.token_to_id(END), 7]}
    config |= {"bos_token_id": tokeniser.token_to_id(BEGIN)}
    (folder / "config.json").write_text(json.dumps(config))
    assert score(make(folder), LINES) == expected


def test_the_batch_changes_scores_by_rounding_only(gpt2: Path) -> None:
    lines = [*LINES, *MORE, *(f"{a} {b}" for a in MORE for b in LINES[:2])]
    model = make(gpt2)
    alone = [score(model, [line])[0] for line in lines]
    for batch_tokens, threads in ((1, 2), (100, 1), (2048, 2)):
        together = score(make(gpt2, threads, batch_tokens=batch_tokens), lines)
        difference = float(np.abs(np.array(together) - alone).max())
        assert difference < 1e-4, difference
    assert score(model, lines) == score(make(gpt2), lines)


def test_equal_sentences_are_scored_once(gpt2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(gpt2, batch_tokens=1)
    rows: list[int] = []
    network_score = model._network.score

    def counting(batch: Any) -> Any:
        rows.append(len(batch))
        return network_score(batch)

    monkeypatch.setattr(model._network, "score", counting)
    # The last two have the same running text.
    found = score(model, ["a red house", "the end", "a red house", "isn't it", "isn 't it"])
    assert sum(rows) == 3
    assert found[0] == found[2]
    assert found[3] == found[4]
    assert score(model, []) == []


def test_sentences_that_are_longer_than_the_model_can_see(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model", "words", n_positions=8)
    line = " ".join(["the red house is at the end of the street"] * 3)
    model = make(folder, language=None)
    network = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    ids = model._subwords.encode([line])[0]
    assert len(ids) == 32
    expected = 0.0
    for place in range(1, len(ids)):
        # Windows of 8 that begin 4 before the first sub-word that they score.
        begin = 0 if place < 8 else place - (place - 8) % 4 - 4
        with torch.no_grad():
            logs = torch.log_softmax(network(torch.tensor([ids[begin:place]])).logits[0, -1], 0)
        expected += float(logs[ids[place]])
    assert score(model, [line])[0] == pytest.approx(expected, abs=1e-4)


def test_nothing_is_downloaded(gpt2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    score(make(gpt2), LINES)


def test_half_precision_is_close(gpt2: Path) -> None:
    exact, rough = score(make(gpt2), LINES), score(make(gpt2, precision="bfloat16"), LINES)
    assert rough == pytest.approx(exact, rel=0.05)
    assert rough != exact


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_gives_the_same_scores(gpt2: Path) -> None:
    assert score(make(gpt2, device="gpu"), LINES) == pytest.approx(
        score(make(gpt2), LINES), abs=1e-3
    )


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu(gpt2: Path) -> None:
    with pytest.raises(InputError, match="torch finds none"):
        make(gpt2, device="gpu")


def test_as_a_kind(gpt2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = KINDS.get("pretrained")
    values = {"kind": "pretrained", "path": str(gpt2), "language": "en", "batch_tokens": 64}
    settings = read_settings(kind.settings, values)
    plan = kind.plan(settings)
    assert {Path(path).name for path in plan.inputs} >= {"config.json", "tokenizer.json"}
    out = tmp_path / "lm"
    kind.train(settings, TrainingData([], dev=tmp_path / "dev"), out, threads=1)
    assert [path.name for path in out.iterdir()] == list(plan.files)
    model = load_language_model(out, threads=2)
    assert isinstance(model, PretrainedModel)
    assert not isinstance(model, WordModel)
    (tmp_path / "list").write_text(
        "".join(
            f"{n} ||| {line}  ||| LM0= -1 ||| -1\n" for n, line in enumerate([*LINES, LINES[0]])
        )
    )
    counts = rescore(tmp_path / "list", {"PLM0": model}, tmp_path / "new")["PLM0"]
    found = read_nbest(tmp_path / "new").features[:, 1]
    assert found == pytest.approx(by_hand(gpt2, [*TEXTS, TEXTS[0]]), rel=1e-5)
    assert (counts.hypotheses, counts.sentences) == (len(LINES) + 1, len(LINES))
    perplexity = measure(model, LINES)
    assert perplexity.log_probability == pytest.approx(sum(by_hand(gpt2, TEXTS)), abs=1e-3)
    assert (perplexity.oov, perplexity.sentences) == (0, len(LINES))
    assert vocabulary_facts(model).words is None
    with pytest.raises(InputError, match="whole sentences only, not lattices"):
        load_stepping_models({"PLM0": out})


def test_a_model_that_has_changed_is_refused(tmp_path: Path) -> None:
    folder, kind = save_model(tmp_path / "model"), KINDS.get("pretrained")
    values = {"kind": "pretrained", "path": str(folder), "language": "en"}
    data = TrainingData([], dev=tmp_path / "dev")
    kind.train(read_settings(kind.settings, values), data, tmp_path / "lm", threads=1)
    load_language_model(tmp_path / "lm")
    save_model(folder, seed=2)
    with pytest.raises(InputError, match=r"model.safetensors: the model has changed"):
        load_language_model(tmp_path / "lm/pretrained.json")


def test_commands(gpt2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    description = tmp_path / "gpt2.yaml"
    description.write_text(f"kind: pretrained\npath: {gpt2}\nlanguage: en\n")
    (tmp_path / "text").write_text("\n".join(LINES) + "\n")
    expected = by_hand(gpt2, TEXTS)
    assert main(["lm", "score", str(description), str(tmp_path / "text")]) == 0
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    assert scores == pytest.approx(expected, abs=1e-4)
    assert main(["lm", "score", str(description), str(tmp_path / "text"), "--words"]) == 1
    assert "gives no probabilities of words" in capsys.readouterr().err
    assert main(["lm", "perplexity", str(description), str(tmp_path / "text")]) == 0
    assert "OOV: 0" in capsys.readouterr().out
    (tmp_path / "list").write_text(f"0 ||| {LINES[0]}  ||| LM0= -1 ||| -1\n")
    files = ["--nbest", str(tmp_path / "list"), "--out", str(tmp_path / "new")]
    assert main(["rescore", "--model", str(description), "--label", "PLM0", *files]) == 0
    (line,) = read_lines(tmp_path / "new")
    assert line.startswith(f"0 ||| {LINES[0]}  ||| LM0= -1 PLM0= {expected[0]:.4g}"[:-1])
    assert main(["rescore", "--model", str(gpt2), *files]) == 1
    assert "does not say which language" in capsys.readouterr().err
    description.write_text(f"kind: pretrained\npath: {gpt2}\nlanguage: english\n")
    assert main(["rescore", "--model", str(description), *files]) == 1
    assert "english" in capsys.readouterr().err
    description.write_text(f"kind: pretrained\npath: {gpt2}\nlanguage: en\nbatch: 1\n")
    assert main(["rescore", "--model", str(description), *files]) == 1
    assert "gpt2.yaml:4: batch: unknown key" in capsys.readouterr().err


def drop_parameter(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    del tensors["transformer.h.1.mlp.c_fc.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})


def cut_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def shrink_network(folder: Path) -> None:
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        n_layer=1, n_head=1, n_embd=4, n_positions=9, vocab_size=20, bos_token_id=0, eos_token_id=0
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)


def look_ahead(folder: Path) -> None:
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=400,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        initializer_range=1.0,
    )
    transformers.BertLMHeadModel(config).save_pretrained(folder)


def without_symbols(folder: Path) -> None:
    (folder / "tokenizer_config.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    config |= {"bos_token_id": None, "eos_token_id": None}
    (folder / "config.json").write_text(json.dumps(config))


def unknown_symbol(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text('{"eos_token": "</s>"}')


def unknown_architecture(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text()) | {"model_type": "mine"}
    (folder / "config.json").write_text(json.dumps(config))


def foreign_symbol(folder: Path) -> None:
    (folder / "tokenizer_config.json").unlink()
    config = json.loads((folder / "config.json").read_text()) | {"eos_token_id": 50256}
    (folder / "config.json").write_text(json.dumps(config))


def negative_symbol(folder: Path) -> None:
    (folder / "tokenizer_config.json").unlink()
    config = json.loads((folder / "config.json").read_text()) | {"eos_token_id": -1}
    (folder / "config.json").write_text(json.dumps(config))


def no_tokeniser(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            drop_parameter,
            "1 parameters are missing, first transformer.h.1.mlp.c_fc.weight",
        ),
        (cut_weights, "transformers cannot load it"),
        (shrink_network, "sub-words, but the network has 20"),
        (look_ahead, "its predictions depend on later words"),
        (without_symbols, "neither bos_token nor eos_token"),
        (unknown_symbol, "tokenizer_config.json: eos_token '</s>' is not a token"),
        (foreign_symbol, "config.json: eos_token_id 50256 is not a token"),
        (negative_symbol, "config.json: eos_token_id -1 is not a token"),
        (unknown_architecture, "transformers cannot load it"),
        (no_tokeniser, "tokenizer.json: not a tokeniser"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_damaged_folders(tmp_path: Path, damage: Callable[[Path], None], message: str) -> None:
    folder = save_model(tmp_path / "model")
    damage(folder)
    with pytest.raises(InputError) as error:
        make(folder)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_symbol_in_a_text_is_text(gpt2: Path) -> None:
    first, *ids, last = make(gpt2)._subwords.encode([f"a {END} street"])[0]
    assert first == last
    assert first not in ids
