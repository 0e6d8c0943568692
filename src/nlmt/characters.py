"""Characters of which no word is made, line breaks and invisible ones, and marks within words."""

import re
import unicodedata

_BREAKING = "\x00-\x1f\x7f-\x9f\u2028\u2029"
# Hyphens and joiners that show at line ends or in shapes alone, marks of direction (old and new),
# invisible operators, variation selectors, tags, and Unicode's other ignorable characters.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff"
)
BREAKING = re.compile(f"[{_BREAKING}]")
INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_SEEN = re.compile(f"[^\\s{_BREAKING}{_INVISIBLE}]")
# Blocks of scripts whose vowel signs and tones are marks, for `re` no parts of words: Thaana, those
# of India, Thai, Lao, Tibetan, Burmese, Khmer and others. Points of Hebrew and Arabic, which texts
# may leave out, and accents that follow their letters are not among them.
_SIGNED = (
    *((0x780, 0x7BF), (0x900, 0x180A), (0x1810, 0x1AAF), (0x1B00, 0x1CFF)),
    *((0xA800, 0xABFF), (0x11000, 0x11FFF)),
)
SIGNS = "".join(
    chr(code)
    for first, last in _SIGNED
    for code in range(first, last + 1)
    if unicodedata.category(chr(code)).startswith("M")
)


def has_word(line: str) -> bool:
    """Whether anything in a line can be seen, so that it has a word."""
    return _SEEN.search(line) is not None
