"""N-best lists in Moses' format from the translations of other programs."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import parse_number, split_fields
from nlmt.io.files import read_lines, write_lines
from nlmt.io.nbest import NbestList, iter_nbest
from nlmt.text import join_pieces

LABEL = "NMT0"  # of the score of other programs' translations
_OF_WORDS = re.compile("[0-9]+-[0-9]+|-?[0-9.]+(e-?[0-9]+)?")  # a link, or the score of a word


def _without_bpe(text: str) -> str:
    return text.replace("@@ ", "").removesuffix("@@")


_JOINTS = {"bpe": _without_bpe, "sentencepiece": join_pieces}
SUBWORDS = tuple(_JOINTS)


def convert_list(
    path: Path | str,
    out: Path | str,
    *,
    each: int | None = None,
    subwords: str | None = None,
    tokenise: Callable[[str], str] | None = None,
) -> None:
    """Write a list in Moses' format, its translations as the words of language models.

    Args:
        path: a list of Moses' or Marian's; with `each`, a text with so many translations of each
            sentence, one a line, each with a score behind a tab or before `|||`, or none.
        out: the list, compressed if it ends in `.gz`. The feature of a text is `LABEL`: the score,
            or minus the rank where there is none. Alignments of changed translations are left out.
        each: number of translations of each sentence in a text.
        subwords: a name of `SUBWORDS`, of sub-words to join.
        tokenise: for running text.

    Raises:
        InputError: a malformed list; a text whose lines are no multiple of `each`, or a score that
            is no finite number; a translation with the word `|||`.
    """
    join = None if subwords is None else _JOINTS[subwords]

    def change(text: str) -> str:
        joined = text if join is None else join(text)
        return joined if tokenise is None else tokenise(joined)

    if each is not None:
        write_lines(out, _of_text(path, each, change))
        return
    kept = join is None and tokenise is None
    blocks = iter_nbest(path, whole_sentences=False, keep_alignments=kept)
    write_lines(out, (line for block in blocks for line in _of_block(block, change, kept)))


def _of_block(block: NbestList, change: Callable[[str], str], kept: bool) -> Iterator[str]:
    """The lines of a part of a list."""
    for row, values in enumerate(block.features.tolist()):
        numbers = iter(values)
        features = " ".join(
            " ".join([f"{label}=", *map(repr, islice(numbers, width))])
            for label, width in block.feature_names
        )
        alignment = block.alignment(row) if kept else ""
        text = change(block.text(row))
        _check_words(text, path=block.path, line=block.first_line + row)
        columns = [str(block.sentence[row]), text, features]
        columns += [repr(float(block.totals[row])), *([alignment] if alignment else [])]
        yield " ||| ".join(columns)


def _of_text(path: Path | str, each: int, change: Callable[[str], str]) -> Iterator[str]:
    """The lines of a list, from translations one a line."""
    number = 0
    for number, line in enumerate(read_lines(path), start=1):
        text, score = _scored(line)
        sentence, rank = divmod(number - 1, each)
        total = str(-1 - rank) if score is None else score.strip()
        try:
            parse_number(total)
        except ValueError as error:
            what = f"{total!r} is no score"
            hint = "a line is: translation, or translation, tab, score, or score ||| translation"
            raise InputError(what, path=path, line=number, hint=hint) from error
        text = change(text)
        _check_words(text, path=path, line=number)
        yield f"{sentence} ||| {text} ||| {LABEL}= {total} ||| {total}"
    if number % each:
        what = f"{number} lines are no multiple of {each}"
        raise InputError(what, path=path, hint="the number of translations of each sentence")


def _check_words(text: str, *, path: Path | str | None, line: int) -> None:
    """Raise InputError for a translation that would end before its end in a list."""
    if "|||" in split_fields(text):
        what = "a translation with the word |||, which separates the columns of a list"
        raise InputError(what, path=path, line=line, hint="--tokenise escapes its bars")


def _scored(line: str) -> tuple[str, str | None]:
    """A translation and its score, if any."""
    text, tab, score = line.rpartition("\t")
    if tab:  # OpenNMT-py
        return _without_last_column(text), score
    score, bars, text = line.partition(" ||| ")
    if bars:  # OpenNMT-tf, CTranslate2
        return _without_last_column(text), score
    return line, None


def _without_last_column(text: str) -> str:
    """A translation without its links, or the scores of its words, if they follow."""
    translation, bars, rest = text.rpartition(" ||| ")
    return translation if bars and all(map(_OF_WORDS.fullmatch, split_fields(rest))) else text
