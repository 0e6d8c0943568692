"""Normalised and tokenised text and detokenised tokens against sacremoses'."""

import os
from functools import partial
from importlib.metadata import version

import pytest
from held import held
from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
from samples import LANGUAGES, made_up, messages, seeded

from nlmt.characters import BREAKING, MARKS
from nlmt.text.detokenise import Detokeniser
from nlmt.text.tokenise import UNSPACED
from nlmt.text.tokenisers import FastMoses, cased_letters

VERSION = f"sacremoses {version('sacremoses')}"
LINES = int(os.environ.get("NLMT_PEERS_LINES", "100000"))  # of all languages together

TOKENISED = tuple(LANGUAGES)


@pytest.mark.parametrize("language", TOKENISED)
def test_text_is_that_of_sacremoses(language: str) -> None:
    draw = seeded(language)
    share = LINES // len(TOKENISED)
    real = messages(language, share // 2)
    normalise = MosesPunctNormalizer(language).normalize
    moses, fast = MosesTokenizer(language), FastMoses(language)
    ours = dict.fromkeys(map(ord, {*MARKS, *cased_letters()} - {*moses.IsAlnum}))
    lines = [
        BREAKING.sub(" ", line).translate(ours) for line in real + made_up(draw, share - len(real))
    ]
    tokenise = partial(moses.tokenize, aggressive_dash_splits=False, return_str=True, escape=False)
    tokens = []
    with held(VERSION, "normalised and tokenised") as case:
        for line in lines:
            text = fast(line)
            case.hold((language, line), lambda a=line: tokenise(normalise(a)), partial(str, text))
            tokens.append(text.split(" "))
    join, detokenise = MosesDetokenizer(language).detokenize, Detokeniser(language)
    if language not in UNSPACED and language != "cs":  # whose rules have faults in sacremoses
        with held(VERSION, "detokenised") as case:
            for words in tokens:
                text = " ".join(words)
                answer = partial(join, words, unescape=False)
                case.hold((language, text), answer, partial(detokenise, text))
