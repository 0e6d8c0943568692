"""Sentences as sub-words of a model, enclosed in its symbols for begin and end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.pretrained.folder import CONFIG, SPECIAL_TOKENS, TOKENISER, TOKENISER_CONFIG
from nlmt.pretrained.libraries import Libraries
from nlmt.pretrained.texts import part_symbols


class Subwords:
    """The tokeniser of a model.

    A sentence begins with the model's `bos_token` or, if there is none, as in GPT-2, with its
    `eos_token`. It ends with the `eos_token`, or with nothing. These symbols are taken from
    tokenizer_config.json, special_tokens_map.json or, by their numbers, config.json, in this order;
    the tokeniser's own additions to a text are left out, and a symbol in a text is text.
    """

    def __init__(self, folder: Path, libraries: Libraries, *, end: bool) -> None:
        """Read the tokeniser of a folder.

        With `end`, sentences end with a symbol.

        Raises:
            InputError: a damaged file, or no symbol for begin or end.
        """
        try:
            self._tokeniser: Any = libraries.tokenizers.Tokenizer.from_file(str(folder / TOKENISER))
        except Exception as error:  # the library raises no other class
            what = f"not a tokeniser: {' '.join(str(error).split())}"
            raise InputError(what, path=folder / TOKENISER) from error
        self._tokeniser.no_truncation()
        self._tokeniser.no_padding()
        added = self._tokeniser.get_added_tokens_decoder().values()
        self._symbols = [token.content for token in added if token.special]
        eos = self._symbol(folder, "eos_token")
        bos = self._symbol(folder, "bos_token")
        begin = eos if bos is None else bos
        if begin is None:
            what = "neither bos_token nor eos_token: the first sub-word would have no context"
            raise InputError(what, path=folder / TOKENISER_CONFIG, hint="name one of them")
        if end and eos is None:
            what = "no eos_token to end a sentence with"
            raise InputError(what, path=folder / TOKENISER_CONFIG, hint="end: none")
        self._begin = [begin]
        self._end = [eos] if end and eos is not None else []

    @property
    def size(self) -> int:
        """The largest id plus one."""
        ids: list[int] = list(self._tokeniser.get_vocab(with_added_tokens=True).values())
        return max(ids) + 1

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, with begin and end."""
        parted = [part_symbols(text, self._symbols) for text in texts]
        encoded = self._tokeniser.encode_batch(parted, add_special_tokens=False)
        return [[*self._begin, *one.ids, *self._end] for one in encoded]

    def _symbol(self, folder: Path, name: str) -> int | None:
        """The id of a symbol."""
        for file in (TOKENISER_CONFIG, SPECIAL_TOKENS):
            if not (folder / file).is_file():
                continue
            token = read_json(folder / file).get(name)
            text = token.get("content") if isinstance(token, dict) else token
            if text is None:
                continue
            number: int | None = self._tokeniser.token_to_id(str(text))
            if number is None:
                what = f"{name} {text!r} is not a token of the tokeniser"
                raise InputError(what, path=folder / file)
            return number
        numbers = read_json(folder / CONFIG).get(f"{name}_id")
        first = next(iter(numbers), None) if isinstance(numbers, list) else numbers
        if not isinstance(first, int):
            return None
        if not 0 <= first < self.size or self._tokeniser.id_to_token(first) is None:
            what = f"{name}_id {first} is not a token of the tokeniser"
            raise InputError(what, path=folder / CONFIG)
        return first
