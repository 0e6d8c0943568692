"""Segmenters by name, which put spaces between words in languages written without them."""

from nlmt.registry import Registry
from nlmt.text.segmenters.segmenter import Segmenter, import_optional

CHARACTERS = "characters"
SEGMENTERS: Registry[type[Segmenter]] = Registry(
    "segmenter",
    {
        CHARACTERS: "nlmt.text.segmenters.characters:Characters",
        "jieba": "nlmt.text.segmenters.jieba:Jieba",
        "mecab": "nlmt.text.segmenters.mecab:Mecab",
    },
)

__all__ = ["CHARACTERS", "SEGMENTERS", "Segmenter", "import_optional"]
