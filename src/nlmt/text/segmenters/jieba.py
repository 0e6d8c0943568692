"""Chinese words by jieba: its dictionary, and a hidden Markov model for words outside it.

rjieba is jieba-rs, the compiled form of jieba that is kept up; its dictionary is inside the wheel.
"""

from typing import ClassVar

from typing_extensions import override

from nlmt.text.segmenters.segmenter import Segmenter, import_optional


class Jieba(Segmenter):
    """Jieba's default mode."""

    languages: ClassVar[tuple[str, ...]] = ("zh",)

    @override
    def __init__(self, language: str) -> None:
        self._jieba = import_optional("rjieba", "the segmenter jieba").Jieba()

    @override
    def __call__(self, text: str) -> list[str]:
        words: list[str] = self._jieba.cut(text)
        return words
