"""Japanese segmentation by MeCab with its dictionary IPADIC, as in sacreBLEU's `ja-mecab`."""

from typing import ClassVar

from typing_extensions import override

from nlmt.text.segmenters.segmenter import Segmenter, import_optional


class Mecab(Segmenter):
    """Segments by MeCab's best path."""

    languages: ClassVar[tuple[str, ...]] = ("ja",)

    @override
    def __init__(self, language: str) -> None:
        mecab = import_optional("MeCab", "the segmenter mecab")
        dictionary = import_optional("ipadic", "the segmenter mecab")
        self._tagger = mecab.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")

    @override
    def __call__(self, text: str) -> list[str]:
        words: str = self._tagger.parse(text)
        return words.split()
