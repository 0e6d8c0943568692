"""Configuration keys of pretrained language models."""

from typing import Literal

from nlmt.lm.kinds import ModelSettings
from nlmt.settings import REQUIRED, setting


class PretrainedSettings(ModelSettings):
    """A model in a local folder in Hugging Face's format; nothing is downloaded."""

    kind: Literal["pretrained"] = setting(REQUIRED, "The kind of model.")
    path: str = setting(
        REQUIRED,
        "The folder, with config.json, *.safetensors and tokenizer.json (of an encoder-decoder "
        "model also files of SentencePiece); a path relative to the folder in which commands and "
        "Snakemake run, or an absolute one.",
        min_length=1,
        examples=["models/gpt2"],
    )
    language: str | None = setting(
        REQUIRED,
        "Language of the text, an ISO 639-1 code, for detokenising it into running text before "
        "the model's own tokeniser reads it. null: tokens separated by spaces.",
        examples=["en"],
    )
    source_language: str | None = setting(
        None,
        "Language of the source, of an encoder-decoder model (Marian, M2M100, NLLB, T5 ...), which "
        "scores translations given the source. null: a causal language model.",
        examples=["fr"],
    )
    source_code: str | None = setting(
        None,
        "Name of the source language in a multilingual encoder-decoder model; null: it has none.",
        examples=["fra_Latn"],
    )
    target_code: str | None = setting(
        None, "Name of the target language in such a model.", examples=["eng_Latn"]
    )
    prefix: str = setting(
        "",
        "Text before each source sentence, of an encoder-decoder model.",
        examples=["translate French to English: "],
    )
    casing: Literal["as-is", "first-letter"] = setting(
        "as-is",
        "Case of the text that the model reads: unchanged, or with the first letter of each "
        "sentence in upper case, which is closer to the training text of such models if the "
        "translations are lower-cased.",
    )
    end: Literal["eos", "none"] = setting(
        "eos",
        "End of a sentence: the model's end-of-sequence symbol, whose probability counts as "
        "that of </s>; or nothing. Of encoder-decoder models it always counts.",
    )
    batch_tokens: int = setting(
        2048,
        "Sub-words, including padding, that are scored at once; memory grows with their "
        "product with the size of the sub-word vocabulary. Scores depend on it only by rounding.",
        ge=1,
        unit="sub-words",
    )
    precision: Literal["float32", "bfloat16"] = setting(
        "float32", "Precision of the network; probabilities are always computed in float32."
    )
    device: Literal["cpu", "gpu"] = setting("cpu", "Device of the network.")
