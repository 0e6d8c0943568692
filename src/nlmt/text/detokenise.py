"""Detokenisation, as by Moses' detokeniser (through sacremoses).

Information lost in tokenisation stays lost: lower-cased text stays so.
"""

import re

from nlmt.text.tokenise import PIPE, UNSPACED, check_language

_WIDE = "[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_BETWEEN_WIDE = re.compile(f"(?<={_WIDE}) (?={_WIDE})")


class Detokeniser:
    """Converts lines of tokens of one language to text."""

    def __init__(self, language: str) -> None:
        """Prepare for `language`, a code of ISO 639; InputError where it is none."""
        # Not at the top: it takes 0.2 s that commands without texts need not spend.
        from sacremoses import MosesDetokenizer

        check_language(language)
        self._unspaced = language in UNSPACED
        self._detokeniser = MosesDetokenizer(language)

    def __call__(self, line: str) -> str:
        """The text of a line of tokens."""
        tokens = line.replace(PIPE, "|").split()
        text = str(self._detokeniser.detokenize(tokens, unescape=False))
        return _BETWEEN_WIDE.sub("", text) if self._unspaced else text
