"""Configuration keys of pretrained language models."""

from typing import Literal

from nlmt.lm.kinds import ModelSettings
from nlmt.settings import REQUIRED, setting


class PretrainedSettings(ModelSettings):
    """A causal language model in a local folder in Hugging Face's format; nothing is downloaded."""

    kind: Literal["pretrained"] = setting(REQUIRED, "What kind of model this is.")
    path: str = setting(
        REQUIRED,
        "The folder, with config.json, tokenizer.json and *.safetensors; a relative path is meant "
        "from the folder that commands and Snakemake run in.",
        min_length=1,
        examples=["models/gpt2"],
    )
    language: str | None = setting(
        REQUIRED,
        "Language of the text, an ISO 639-1 code, by which its tokens become running text before "
        "the model's own tokeniser reads it. null: tokens with spaces between them.",
        examples=["en"],
    )
    casing: Literal["as-is", "first-letter"] = setting(
        "as-is",
        "Case of the text that the model reads: as it is, or with the first letter of each "
        "sentence in upper case, which is nearer to what such models are trained on where the "
        "translations are lower-cased.",
    )
    end: Literal["eos", "none"] = setting(
        "eos",
        "What ends a sentence: the model's end-of-sequence symbol, whose probability counts as "
        "that of </s>; or nothing.",
    )
    batch_tokens: int = setting(
        2048,
        "Sub-words, padding among them, that are scored at the same time; memory grows with their "
        "product with the size of the sub-word vocabulary. Scores depend on it by rounding only.",
        ge=1,
        unit="sub-words",
    )
    precision: Literal["float32", "bfloat16"] = setting(
        "float32", "Numbers of the network; probabilities are computed in float32 in any case."
    )
    device: Literal["cpu", "gpu"] = setting("cpu", "Where the network is computed.")
