"""Sentence pairs as sub-words of an encoder-decoder model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.pretrained.libraries import Libraries
from nlmt.pretrained.settings import PretrainedSettings


class TranslationSubwords:
    """The tokeniser of an encoder-decoder model, with its own additions to sources and targets.

    These are symbols for the end of a sentence and, in multilingual models, for the language.
    """

    def __init__(self, settings: PretrainedSettings, libraries: Libraries) -> None:
        """Read the tokeniser of a folder.

        Raises:
            InputError: a damaged file, or a language that the model does not have.
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
        codes = {"src_lang": settings.source_code, "tgt_lang": settings.target_code}
        for attribute, code in codes.items():
            if code is not None:
                self._set_language(attribute, code, folder)

    def encode(self, source: str, targets: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """Ids of a source sentence, and of translations of it."""
        of_source: list[int] = self._tokeniser(self._prefix + source)["input_ids"]
        return of_source, self._tokeniser(text_target=list(targets))["input_ids"]

    def _set_language(self, attribute: str, code: str, folder: Path) -> None:
        """Set the language of sources or targets."""
        if not hasattr(self._tokeniser, attribute):
            what = f"{code}: the model's tokeniser has no languages"
            raise InputError(what, path=folder, hint="leave source_code and target_code out")
        known = getattr(self._tokeniser, "lang_code_to_id", None) or {}
        unknown = self._tokeniser.unk_token_id
        if code not in known and self._tokeniser.convert_tokens_to_ids(code) in (None, unknown):
            hint = f"one of {', '.join(known)}" if known else "its files name its languages"
            raise InputError(f"the model has no language {code!r}", path=folder, hint=hint)
        setattr(self._tokeniser, attribute, code)
