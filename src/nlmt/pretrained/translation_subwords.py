"""Sentence pairs as sub-words of an encoder-decoder model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.pretrained.libraries import Libraries
from nlmt.pretrained.settings import PretrainedSettings
from nlmt.pretrained.texts import part_symbols


class TranslationSubwords:
    """The tokeniser of an encoder-decoder model, with its own additions to sources and targets.

    These are symbols for the end of a sentence and, in multilingual models, for the language; a
    symbol in a text is text.
    """

    def __init__(self, settings: PretrainedSettings, libraries: Libraries) -> None:
        """Read the tokeniser of a folder.

        Raises:
            InputError: a damaged file, or one that ends no sentence; a language that is missing, or
                that the model does not have.
        """
        folder = Path(settings.path)
        try:
            self._tokeniser: Any = libraries.transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # of many classes
            message = " ".join(str(error).split())
            what = f"transformers cannot load its tokeniser: {message}"
            raise InputError(what, path=folder) from error
        self._prefix = settings.prefix
        added = self._tokeniser.added_tokens_decoder.values()
        self._symbols = [token.content for token in added if token.special]
        languages = self._languages()
        for attribute, key in (("src_lang", "source_code"), ("tgt_lang", "target_code")):
            code = getattr(settings, key)
            if code is None and not languages:
                continue
            if not languages:
                what = f"{key}: the model's tokeniser has no languages"
                raise InputError(what, path=folder, hint="leave source_code and target_code out")
            if code not in languages:
                lacks = f"the model has no language {code!r}" if code else f"the model needs {key}"
                raise InputError(lacks, path=folder, hint=f"one of {', '.join(languages)}")
            setattr(self._tokeniser, attribute, code)
        of_source, of_targets = self.encode("", [""])
        if not of_source or not of_targets[0]:
            what = "the model's tokeniser adds no symbol for the end of a sentence"
            raise InputError(what, path=folder)

    def encode(self, source: str, targets: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """Ids of a source sentence, and of translations of it."""
        source, *parted = (part_symbols(text, self._symbols) for text in (source, *targets))
        of_source: list[int] = self._tokeniser(self._prefix + source)["input_ids"]
        return of_source, self._tokeniser(text_target=parted)["input_ids"]

    def _languages(self) -> list[str]:
        """The names of languages that the tokeniser knows."""
        one = self._tokeniser
        if not hasattr(one, "src_lang"):
            return []
        named = [getattr(one, f"{use}_token") for use in ("bos", "eos", "unk", "pad", "mask")]
        named += [one.sep_token, one.cls_token]
        known = getattr(one, "lang_code_to_id", None) or one.all_special_tokens
        return sorted(set(known) - set(named))
