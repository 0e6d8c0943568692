"""Encoder-decoder models against their own loss, sentence by sentence, on small random ones."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.io.nbest import read_nbest
from nlmt.kinds import KINDS, load_language_model
from nlmt.lm import TrainingData, measure_text
from nlmt.lm.conditioned_text import ConditionedText
from nlmt.pretrained import PretrainedSettings, PretrainedTranslationModel
from nlmt.rescoring import rescore
from nlmt.settings_check import read_settings
from nlmt.text import Detokeniser

WHY = "the extra `pretrained` is not installed: make pretrained"
torch = pytest.importorskip("torch", reason=WHY)
transformers = pytest.importorskip("transformers", reason=WHY)
tokenizers = pytest.importorskip("tokenizers", reason=WHY)
sentencepiece = pytest.importorskip("sentencepiece", reason=WHY)

FRENCH = [
    "la maison rouge est au bout de la rue .",
    "elle n' est pas prête , dit -elle",
    "une rue rouge",
]
ENGLISH = [
    "the red house is at the end of the street .",
    "it isn 't ready , she says",
    "a red street",
]
SHAPE = {
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 64,
    "init_std": 0.5,
}


def train_pieces(path: Path, lines: Sequence[str]) -> list[str]:
    """Train a model of SentencePiece; its pieces but for symbols."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 20),
        model_prefix=str(path.with_suffix("")),
        vocab_size=40,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    pieces = sentencepiece.SentencePieceProcessor(str(path))
    return [pieces.id_to_piece(i) for i in range(3, len(pieces))]


def save(folder: Path, model: Any, tokeniser: str, pieces: Sequence[str] = ()) -> Path:
    model.save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokeniser}))
    if pieces:
        numbered = {piece: number for number, piece in enumerate(pieces)}
        (folder / "vocab.json").write_text(json.dumps(numbered))
    return folder


def marian(folder: Path) -> Path:
    folder.mkdir()
    sides = {"source": FRENCH, "target": ENGLISH}
    found = [train_pieces(folder / f"{side}.spm", lines) for side, lines in sides.items()]
    pieces = [*dict.fromkeys(["</s>", "<unk>", *found[0], *found[1]]), "<pad>"]
    size = len(pieces)
    config = transformers.MarianConfig(
        vocab_size=size,
        decoder_vocab_size=size,
        pad_token_id=size - 1,
        eos_token_id=0,
        decoder_start_token_id=size - 1,
        **SHAPE,
    )
    torch.manual_seed(1)
    return save(folder, transformers.MarianMTModel(config), "MarianTokenizer", pieces)


def m2m100(folder: Path) -> Path:
    folder.mkdir()
    found = train_pieces(folder / "sentencepiece.bpe.model", FRENCH + ENGLISH)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *found]
    config = transformers.M2M100Config(vocab_size=len(pieces) + 108, **SHAPE)
    torch.manual_seed(1)
    model = transformers.M2M100ForConditionalGeneration(config)
    return save(folder, model, "M2M100Tokenizer", pieces)


def t5(folder: Path) -> Path:
    folder.mkdir()
    tokeniser = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="<unk>"))  # noqa: S106
    tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.WordLevelTrainer(special_tokens=["<pad>", "</s>", "<unk>"])
    tokeniser.train_from_iterator([*FRENCH, *ENGLISH], trainer)
    tokeniser.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    tokeniser.save(str(folder / "tokenizer.json"))
    config = transformers.T5Config(
        vocab_size=tokeniser.get_vocab_size(),
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
    )
    torch.manual_seed(1)
    return save(folder, transformers.T5ForConditionalGeneration(config), "PreTrainedTokenizerFast")


def multilingual(folder: Path, tokeniser: str, codes: Sequence[str], model: Any) -> Path:
    """A model whose tokenizer.json has symbols for languages."""
    folder.mkdir()
    symbols = ["<s>", "<pad>", "</s>", "<unk>"]
    words = sorted({word for line in [*FRENCH, *ENGLISH] for word in line.split()})
    pieces = [*symbols, *(f"▁{word}" for word in words), "▁"]
    saved = tokenizers.Tokenizer(tokenizers.models.Unigram([(p, -2.0) for p in pieces], 3))
    saved.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    saved.add_special_tokens([*symbols, *codes, "<mask>"])
    saved.save(str(folder / "tokenizer.json"))
    torch.manual_seed(1)
    save(folder, model(saved.get_vocab_size() + 100), tokeniser)
    named = {"tokenizer_class": tokeniser, "additional_special_tokens": list(codes)}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    return folder


def mbart(folder: Path) -> Path:
    def model(size: int) -> Any:
        config = transformers.MBartConfig(vocab_size=size, **SHAPE)
        return transformers.MBartForConditionalGeneration(config)

    return multilingual(folder, "MBartTokenizer", ["fr_XX", "en_XX"], model)


def nllb(folder: Path) -> Path:
    def model(size: int) -> Any:
        config = transformers.M2M100Config(vocab_size=size, **SHAPE)
        return transformers.M2M100ForConditionalGeneration(config)

    return multilingual(folder, "NllbTokenizer", ["eng_Latn", "fra_Latn"], model)


MODELS: dict[Callable[[Path], Path], dict[str, str]] = {
    marian: {},
    m2m100: {"source_code": "fr", "target_code": "en"},
    t5: {"prefix": "rue : "},
    mbart: {"source_code": "fr_XX", "target_code": "en_XX"},
    nllb: {"source_code": "fra_Latn", "target_code": "eng_Latn"},
}


def settings(folder: Path, **values: Any) -> PretrainedSettings:
    given = {"kind": "pretrained", "path": str(folder), "language": "en", "source_language": "fr"}
    return read_settings(PretrainedSettings, given | values)


def by_loss(folder: Path, source: str, target: str, keys: dict[str, str]) -> float:
    """The log-probability of a translation: its length times the model's own loss."""
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
    if "source_code" in keys:
        tokeniser.src_lang, tokeniser.tgt_lang = keys["source_code"], keys["target_code"]
    source = keys.get("prefix", "") + Detokeniser("fr")(source)
    row = tokeniser([source], text_target=[Detokeniser("en")(target)], return_tensors="pt")
    with torch.no_grad():
        loss = model(input_ids=row["input_ids"], labels=row["labels"]).loss
    return -float(loss) * int(row["labels"].shape[1])


@pytest.fixture(scope="module", params=MODELS, ids=lambda make: make.__name__)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """The folder of a model, and its keys."""
    return request.param(tmp_path_factory.mktemp("models") / "model"), MODELS[request.param]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return marian(tmp_path_factory.mktemp("models") / "marian")


def test_scores_are_the_models_own(made: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    folder, keys = made
    pairs = [(0, 0), (1, 1), (0, 2), (0, 0), (2, 1)]
    for name, lines in (
        ("fr", [FRENCH[i] for i, _ in pairs]),
        ("en", [ENGLISH[i] for _, i in pairs]),
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    expected = [by_loss(folder, FRENCH[i], ENGLISH[j], keys) for i, j in pairs]
    for batch_tokens in (1, 30, 2048):
        model = PretrainedTranslationModel(settings(folder, batch_tokens=batch_tokens, **keys))
        text = ConditionedText.read(model, tmp_path / "en", tmp_path / "fr")
        found = model.score_sentences_given(text.ids, text.offsets, text.source)
        assert found == pytest.approx(expected, abs=1e-4)
        assert found[0] == found[3] != found[2]
        perplexity = measure_text(model, tmp_path / "en", [tmp_path / "fr"])
        assert perplexity.log_probability == pytest.approx(sum(expected), abs=1e-3)


def test_a_symbol_in_a_text_is_text(made: tuple[Path, dict[str, str]]) -> None:
    folder, keys = made
    subwords = PretrainedTranslationModel(settings(folder, **keys))._subwords
    end = transformers.AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids("</s>")
    source, (target,) = subwords.encode("une </s> rue", ["a </s> street"])
    assert (source.count(end), target.count(end)) == (1, 1)
    plain, (of_target,) = subwords.encode("une rue", ["a street"])
    assert len(source) > len(plain)
    assert len(target) > len(of_target)


def test_a_list_is_rescored_given_its_source(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "fr").write_text(f"{FRENCH[0]}\n{FRENCH[2]}\n")
    rows = [(0, ENGLISH[0]), (0, ENGLISH[2]), (1, ENGLISH[2])]
    lines = [f"{number} ||| {text} ||| LM0= -1 ||| -1\n" for number, text in rows]
    (tmp_path / "list").write_text("".join(lines))
    model = PretrainedTranslationModel(settings(folder))
    rescore(tmp_path / "list", {"PLM0": model}, tmp_path / "new", source=tmp_path / "fr")
    found = read_nbest(tmp_path / "new").features[:, 1]
    source = [FRENCH[0], FRENCH[0], FRENCH[2]]
    expected = [by_loss(folder, one, text, {}) for one, (_, text) in zip(source, rows, strict=True)]
    assert found == pytest.approx(expected, rel=1e-5)
    with pytest.raises(InputError, match="needs the source text"):
        rescore(tmp_path / "list", {"PLM0": model}, tmp_path / "new")


def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fr").write_text(f"{FRENCH[0]}\n")
    (tmp_path / "en").write_text(f"{ENGLISH[0]}\n")
    entry = f"{{kind: pretrained, path: {folder}, language: en, source_language: fr}}\n"
    (tmp_path / "model.yaml").write_text(entry)
    command = ["lm", "score", str(tmp_path / "model.yaml"), str(tmp_path / "en")]
    assert main([*command, "--source", str(tmp_path / "fr")]) == 0
    expected = by_loss(folder, FRENCH[0], ENGLISH[0], {})
    assert float(capsys.readouterr().out) == pytest.approx(expected, abs=1e-4)
    assert main([*command, "--source", str(tmp_path / "fr"), "--words"]) == 1
    assert "scores whole sentences only (leave --words out)" in capsys.readouterr().err
    assert main(command) == 1
    assert "scores translations given their source" in capsys.readouterr().err


def test_in_the_workflow(folder: Path, tmp_path: Path) -> None:
    kind = KINDS.get("pretrained")
    assert kind.plan(settings(folder)).source == "sentence"
    kind.train(settings(folder), TrainingData([], folder), tmp_path, threads=1)
    described = json.loads((tmp_path / "pretrained.json").read_text())
    assert {"source.spm", "target.spm", "vocab.json"} <= described["sha256"].keys()
    assert isinstance(load_language_model(tmp_path), PretrainedTranslationModel)
    (folder / "source.spm").write_bytes((folder / "source.spm").read_bytes() + b" ")
    with pytest.raises(InputError, match=r"source\.spm: the model has changed"):
        load_language_model(tmp_path)
    (folder / "source.spm").write_bytes((folder / "source.spm").read_bytes()[:-1])


def test_keys_that_do_not_fit(folder: Path, tmp_path: Path) -> None:
    kind = KINDS.get("pretrained")
    causal = settings(folder, source_language=None, prefix="x")
    with pytest.raises(InputError, match="prefix has no effect without source_language"):
        kind.plan(causal)
    with pytest.raises(InputError, match="source_code: the model's tokeniser has no languages"):
        PretrainedTranslationModel(settings(folder, source_code="xx"))
    many = m2m100(tmp_path / "m2m100")
    for key in ("source_code", "target_code"):
        with pytest.raises(InputError, match=r"no language 'xx' \(one of af, am, ar"):
            PretrainedTranslationModel(
                settings(many, **({"source_code": "fr", "target_code": "en"} | {key: "xx"}))
            )
    with pytest.raises(InputError, match=r"the model needs target_code \(one of af, am, ar"):
        PretrainedTranslationModel(settings(many, source_code="fr"))
    codes = {"source_code": "fra_Latn", "target_code": "▁red"}
    with pytest.raises(InputError, match=r"no language '▁red' \(one of eng_Latn, fra_Latn\)"):
        PretrainedTranslationModel(settings(nllb(tmp_path / "nllb"), **codes))
    (many / "sentencepiece.bpe.model").unlink()
    with pytest.raises(InputError, match=r"no tokenizer.json or \*.spm or \*.model"):
        PretrainedTranslationModel(settings(many))


def test_a_sentence_that_is_too_long(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "fr").write_text(" ".join(["rue"] * 100) + "\n")
    (tmp_path / "en").write_text("street\n")
    model = PretrainedTranslationModel(settings(folder))
    with pytest.raises(InputError, match="sub-words, but the model sees 64: 'rue rue"):
        measure_text(model, tmp_path / "en", [tmp_path / "fr"])


def test_the_tokeniser_of_another_model(folder: Path, tmp_path: Path) -> None:
    other = t5(tmp_path / "t5")
    config = transformers.T5Config(vocab_size=8, d_model=16, d_kv=8, d_ff=32, num_layers=1,
        num_heads=2, decoder_start_token_id=0)  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(other)
    (tmp_path / "fr").write_text("une rue rouge\n")
    (tmp_path / "en").write_text("a red street\n")
    model = PretrainedTranslationModel(settings(other))
    with pytest.raises(InputError, match=r"sub-word \d+, but the network has 8 \(the tokeniser"):
        measure_text(model, tmp_path / "en", [tmp_path / "fr"])


def test_a_first_symbol_that_the_network_lacks(tmp_path: Path) -> None:
    path = marian(tmp_path / "marian") / "generation_config.json"
    path.write_text(json.dumps({"decoder_start_token_id": 9999}))
    with pytest.raises(InputError, match="decoder_start_token_id 9999 is not a sub-word"):
        PretrainedTranslationModel(settings(path.parent))


def test_a_tokeniser_without_an_end(tmp_path: Path) -> None:
    path = t5(tmp_path / "t5") / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"post_processor": None}))
    with pytest.raises(InputError, match="adds no symbol for the end of a sentence"):
        PretrainedTranslationModel(settings(path.parent))


def test_the_number_of_threads_is_as_before(folder: Path, tmp_path: Path) -> None:
    before = torch.get_num_threads()
    model = PretrainedTranslationModel(settings(folder), threads=before + 1)
    ids, offsets = np.zeros(0, np.int32), np.array([0, 0])
    (tmp_path / "fr").write_text("rue\n")
    (tmp_path / "en").write_text("\n")
    text = ConditionedText.read(model, tmp_path / "en", tmp_path / "fr")
    model.score_sentences_given(ids, offsets, text.source)
    assert torch.get_num_threads() == before
