"""Each character is a word."""

from typing import ClassVar

from typing_extensions import override

from nlmt.text.segmenters.segmenter import Segmenter


class Characters(Segmenter):
    """No library, and no word that training text lacks."""

    languages: ClassVar[tuple[str, ...]] = ("zh", "ja")

    @override
    def __init__(self, language: str) -> None:
        pass

    @override
    def __call__(self, text: str) -> list[str]:
        return list(text)
