"""Detokenisation, as by Moses' detokeniser (through sacremoses).

Information lost in tokenisation stays lost: lower-cased text stays so.
"""

import re

from nlmt.text.tokenise import PIPE, UNSPACED, check_language

_WIDE = "[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_BETWEEN_WIDE = re.compile(f"(?<={_WIDE}) (?={_WIDE})")
# Moses joins numbers in Czech. For this, sacremoses looks at the last tokens of a line in the place
# of those before, so that a year at its end is joined to the word before, and its rule for `-li`
# fails: it is given no language.
_CZECH_NUMBER = re.compile(r"(?<!\S)([0-9]+) ([.,]) (?=[0-9]+(?!\S))")


class Detokeniser:
    """Converts lines of tokens of one language to text."""

    def __init__(self, language: str) -> None:
        """Prepare for `language`, a code of ISO 639; InputError where it is none."""
        # Not at the top: it takes 0.2 s that commands without texts need not spend.
        from sacremoses import MosesDetokenizer

        check_language(language)
        self._unspaced, self._czech = language in UNSPACED, language == "cs"
        self._detokeniser = MosesDetokenizer("" if self._czech else language)

    def __call__(self, line: str) -> str:
        """The text of a line of tokens."""
        if self._czech:
            line = _CZECH_NUMBER.sub(r"\1\2", " ".join(line.split()))
        tokens = line.replace(PIPE, "|").split()
        text = str(self._detokeniser.detokenize(tokens, unescape=False))
        return _BETWEEN_WIDE.sub("", text) if self._unspaced else text
