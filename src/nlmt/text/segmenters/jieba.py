"""Chinese segmentation by jieba's dictionary and a hidden Markov model for unknown words.

rjieba is jieba-rs, the maintained compiled form of jieba; its dictionary is in the wheel.
"""

from typing import ClassVar

from typing_extensions import override

from nlmt.text.segmenters.segmenter import Segmenter, import_optional


class Jieba(Segmenter):
    """Segments by jieba's default mode."""

    languages: ClassVar[tuple[str, ...]] = ("zh",)

    @override
    def __init__(self, language: str) -> None:
        self._jieba = import_optional("rjieba", "the segmenter jieba").Jieba()

    @override
    def __call__(self, text: str) -> list[str]:
        words: list[str] = self._jieba.cut(text)
        return words
