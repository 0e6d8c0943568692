"""Segmentation into single characters."""

from typing import ClassVar

from typing_extensions import override

from nlmt.text.segmenters.segmenter import Segmenter


class Characters(Segmenter):
    """Makes each character a word: needs no library, and yields few unknown words."""

    languages: ClassVar[tuple[str, ...]] = ("zh", "ja")

    @override
    def __init__(self, language: str) -> None:
        pass

    @override
    def __call__(self, text: str) -> list[str]:
        return list(text)
