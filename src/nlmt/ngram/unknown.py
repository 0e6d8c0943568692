"""Treatment of `<unk>` in training texts as an ordinary word.

lmplz refuses `<unk>` in a text, or treats it as white space, so that words that are not adjacent
become neighbours. A text whose rare words are `<unk>` shows how often an unknown word follows which
words: models with the same vocabulary must learn that for their perplexities to be comparable. So
lmplz gets the text with a stand-in for it, another word, which is renamed in the ARPA file. lmplz's
own `<unk>` has the probability that discounting leaves for one unseen word: the unigram
probabilities of both are added. After contexts that `<unk>` follows in the text, the share of the
unseen word, some millionths, is left out.
"""

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from nlmt.io.files import atomic_path
from nlmt.vocabulary import UNKNOWN

# No word of a text: its second half is a control character, which is no white space for lmplz.
STAND_IN = f"{UNKNOWN}\x7f"
_WORD = re.compile(rf"(?<![^ \t]){re.escape(UNKNOWN)}(?![^ \t])")


def with_stand_in(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a text, with the stand-in in the place of `<unk>`."""
    return (_WORD.sub(STAND_IN, line) if UNKNOWN in line else line for line in lines)


def rename_stand_in(arpa: Path) -> None:
    """Rename the stand-in to `<unk>` in an ARPA file that has both among its unigrams."""
    stand_in, own = STAND_IN.encode(), UNKNOWN.encode()
    log10 = {}  # of both words
    with arpa.open("rb") as source:
        for line in source:
            fields = line.rstrip(b"\n").split(b"\t")
            if len(fields) > 1 and fields[1] in (stand_in, own):
                log10[fields[1]] = fields
            if line == b"\\2-grams:\n":
                break
    both = math.log10(sum(10 ** float(fields[0]) for fields in log10.values()))
    merged = b"\t".join([f"{both:.7g}".encode(), own, *log10[stand_in][2:]]) + b"\n"
    with arpa.open("rb") as source, atomic_path(arpa) as path, path.open("wb") as target:
        unigrams = True
        for line in source:
            if line.startswith(b"ngram 1="):
                target.write(b"ngram 1=%d\n" % (int(line[8:]) - 1))
            elif unigrams and line.split(b"\t")[1:2] == [own]:
                target.write(merged)
            elif not unigrams or line.split(b"\t")[1:2] != [stand_in]:
                target.write(line.replace(stand_in, own))
            unigrams = unigrams and line != b"\\2-grams:\n"
