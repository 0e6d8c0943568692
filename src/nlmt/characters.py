"""Characters that make no word, part of one or one each, and texts as they are compared."""

import re
import unicodedata

_BREAKING = "\x00-\x1f\x7f-\x9f\u2028\u2029"
# Hyphens and joiners that show at line ends or in shapes alone, marks of direction (old and new),
# invisible operators, variation selectors, tags, and Unicode's other ignorable characters.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff"
)
# Of scripts without spaces between words, where each character counts as a word.
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
BREAKING = re.compile(f"[{_BREAKING}]")
INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_SEEN = re.compile(f"[^\\s{_BREAKING}{_INVISIBLE}]")
# Vowel signs, tones, points and accents, for `re` no parts of words. None is beyond the last code.
MARKS = "".join(
    mark
    for mark in map(chr, range(0x300, 0x1F000))
    if unicodedata.category(mark) in ("Mn", "Mc") and not INVISIBLE.match(mark)
)
# Those of Hebrew, Arabic and Syriac, which texts may leave out.
_POINTS = re.compile(f"[{''.join(mark for mark in MARKS if 0x590 < ord(mark) < 0x780)}]+")


def has_word(line: str) -> bool:
    """Whether anything in a line can be seen, so that it has a word."""
    return _SEEN.search(line) is not None


def folded(text: str) -> str:
    """The text lower-cased, with accents in one encoding, without points and invisible characters.

    Texts are compared so.
    """
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    text = unicodedata.normalize("NFC", INVISIBLE.sub("", lowered))
    # The dot is what lower-casing leaves of a Turkish capital; sigma depends on what follows.
    return _POINTS.sub("", text).replace("i\u0307", "i").replace("\u03c2", "\u03c3")
