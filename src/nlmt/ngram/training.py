"""Training: modified Kneser-Ney smoothing (Heafield et al. 2013) by KenLM's lmplz."""

import logging
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import atomic_path, check_file, read_lines, scratch_folder
from nlmt.ngram.tools import run_tool
from nlmt.ngram.unknown import STAND_IN, rename_stand_in, with_stand_in
from nlmt.processes import ToolError
from nlmt.vocabulary import SPECIAL

log = logging.getLogger(__name__)

ORDERS = range(2, 7)  # that KenLM's tries support as usually built
MEMORY = "1G"  # for sorting; what does not fit goes to temporary files
_SHARE = 0.8  # of a job's memory, for sorting n-grams, at most; the rest is for vocabularies
LEAST_MEMORY = 32 << 20  # bytes for sorting; the hash table of words takes 24 << 20 of them
_BYTES_OF_WORD = 2  # with the space after it, or in a gzip file: few words take less
_MEMORY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([bBkKmMgGtT%]?)")


@dataclass(frozen=True)
class Storage:
    """Options of KenLM's storage of a model.

    Attributes:
        structure: `trie` or `probing`.
        quantise: bits per probability and back-off weight in a trie; None: all.
        pointers: largest number of bits of a trie's pointers to replace by an array; None: none.
    """

    structure: str = "trie"
    quantise: int | None = None
    pointers: int | None = None

    def arguments(self) -> list[str]:
        """The arguments of build_binary."""
        given = [("-q", self.quantise), ("-b", self.quantise), ("-a", self.pointers)]
        flags = [text for flag, value in given if value is not None for text in (flag, str(value))]
        return [*flags, self.structure]


TRIE = Storage()


def train_binary(
    text: Path | str,
    model: Path | str,
    *,
    order: int = 5,
    prune: Sequence[int] = (),
    memory: str = MEMORY,
    storage: Storage = TRIE,
) -> None:
    """Estimate an n-gram model of a text (`train_arpa`), and write it as KenLM's binary file."""
    with atomic_path(model) as path, scratch_folder(model) as folder:
        arpa = folder / "model.arpa"
        train_arpa(text, arpa, order=order, prune=prune, memory=memory)
        build_binary(arpa, path, storage, memory)


def train_arpa(
    text: Path | str,
    arpa: Path | str,
    *,
    order: int = 5,
    prune: Sequence[int] = (),
    memory: str = MEMORY,
    words: int | None = None,
    stand_in: bool = False,
) -> None:
    """Estimate an n-gram model of a text, and write it as an ARPA file.

    `<unk>` in the text is treated as an ordinary word, which becomes `<unk>`
    (`nlmt.ngram.unknown`); `<s>` and `</s>` count as white space. Discounts are those of modified
    Kneser-Ney; only if a text is too small to estimate them does lmplz fall back to 0.5, 1 and 1.5.

    Args:
        text: sentences, one a line, plain or gzip.
        arpa: path of the model; its folder also gets lmplz's temporary files.
        order: 2 to 6.
        prune: n-grams of order 1, 2 ... that occur at most so often are left out; the last number
            is for all further orders.
        memory: for sorting, at most, as lmplz's `-S` takes it (`500M`, `50%`).
        words: number of words, including `</s>` and `<unk>`, for which the model has probabilities:
            each one that is not in the text has that of `<unk>`. None: those of the text, and one
            unseen word.
        stand_in: leave the stand-in for `<unk>` of the text in the model (`nlmt.ngram.unknown`).

    Raises:
        InputError: no text, no tool, an order out of range, a full disk: each in one line.
    """
    if order not in ORDERS:
        what = f"order {order} is out of range"
        raise InputError(what, hint=f"choose {ORDERS.start} to {ORDERS.stop - 1}")
    with atomic_path(arpa) as path, scratch_folder(arpa) as folder:
        arguments = ["--order", str(order), "--skip_symbols", "--arpa", str(path)]
        sorting = sorting_memory(text, order, memory_bytes(memory))
        arguments += ["--memory", f"{sorting}b", "--temp_prefix", f"{folder}/"]
        if prune:
            arguments += ["--prune", *map(str, prune)]
        if words is not None:
            arguments += ["--vocab_pad", str(words)]
        sentences = _Sentences(text)
        try:
            run_tool("lmplz", arguments, sentences.lines())
        except ToolError as error:
            if "BadDiscountException" not in error.messages:
                raise
            log.warning("the text is too small for Kneser-Ney discounts: using 0.5, 1 and 1.5")
            run_tool("lmplz", [*arguments, "--discount_fallback"], sentences.lines())
        if sentences.unknown and not stand_in:
            rename_stand_in(path)


def sorting_memory(text: Path | str, order: int, most: int) -> int:
    """Bytes in which lmplz sorts all n-grams of a text at once, but no more than `most`.

    lmplz clears part of its memory, whatever the size of the text. The model does not depend on it.
    """
    path = check_file(text)
    if not path.is_file():  # a pipe, of unknown size
        return most
    # A record of lmplz's for an n-gram of k words has 4 k + 8 bytes. Order k gets memory in
    # proportion to k (4 k + 8), and half of it is sorted at a time. Given the sum of these numbers
    # for each word of the text, the half holds k / 2 n-grams a word, and a text has one at most;
    # unigrams are fewer. Before that, the longest n-grams are counted in two blocks of records and
    # a hash table of 12 bytes a record, which take no more.
    of_word = sum(k * (4 * k + 8) for k in range(1, order + 1))
    return min(most, LEAST_MEMORY + path.stat().st_size // _BYTES_OF_WORD * of_word)


def memory_bytes(memory: str) -> int:
    """Bytes of an amount of memory in the notation of lmplz's `-S`: 500M, 1G, 50%.

    Raises:
        InputError: it is not an amount of memory.
    """
    match = _MEMORY.fullmatch(memory)
    if match is None:
        raise InputError(f"{memory!r} is not an amount of memory", hint="such as 500M, 4G or 50%")
    number, unit = float(match[1]), match[2].upper() or "K"
    if unit == "%":
        return int(number / 100 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return int(number * 1024 ** "BKMGT".index(unit))


def job_memory(memory_mb: int | None) -> str:
    """Memory for sorting in a job that may use so many megabytes; None: an unknown number."""
    return MEMORY if memory_mb is None else f"{int(_SHARE * memory_mb)}M"


def build_binary(arpa: Path, model: Path, storage: Storage, memory: str) -> None:
    """Write an ARPA file as KenLM's binary file."""
    with scratch_folder(model) as folder:
        arguments = ["-S", memory, "-T", f"{folder}/", *storage.arguments()]
        run_tool("build_binary", [*arguments, str(arpa), str(model)])


class _Sentences:
    """The lines of a text, converted for lmplz."""

    def __init__(self, text: Path | str) -> None:
        self._text = text
        self.unknown = False  # whether the text has `<unk>`

    def lines(self) -> Iterator[str]:
        """Yield all lines; an error if the only words are special ones."""
        empty = True
        for number, line in enumerate(with_stand_in(read_lines(self._text)), start=1):
            if "\r" in line:
                what = "a carriage return within a line, at which lmplz would part a word"
                hint = "remove it, for example with tr -d '\\r'"
                raise InputError(what, path=self._text, line=number, hint=hint)
            self.unknown = self.unknown or STAND_IN in line
            empty = empty and not set(split_fields(line)).difference(SPECIAL, [STAND_IN])
            yield line
        if empty:
            raise InputError("no words to train on: the text is empty", path=self._text)
