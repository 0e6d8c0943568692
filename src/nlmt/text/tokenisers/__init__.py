"""Tokenisers by name, which convert running text of one language to tokens."""

from nlmt.registry import Registry
from nlmt.text.tokenisers.tokeniser import WordTokeniser

TOKENISERS: Registry[type[WordTokeniser]] = Registry(
    "tokeniser",
    {
        "fast": "nlmt.text.tokenisers.fast:FastMoses",
        "sacremoses": "nlmt.text.tokenisers.moses:Sacremoses",
    },
)

__all__ = ["TOKENISERS", "WordTokeniser"]
