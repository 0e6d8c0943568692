"""Parts drawn in little memory are those drawn in much."""

import random

import pytest
from splitting import split_by_document
from test_corpora_split import COUNT, corpus

from nlmt.corpora import SentencePair, SplitSettings
from nlmt.corpora.spool import Spool


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("candidates", [1, 2])
@pytest.mark.parametrize("drawn", [["dev", "test"], ["test"], ["dev", "test", "dev2"], []])
def test_same_parts_with_any_number_of_candidates(monkeypatch, seed, candidates, drawn):
    settings = SplitSettings(dev=20, test=25, dev2=15, min_tokens=4, max_tokens=10)
    pairs = corpus(seed)
    if seed % 2:  # documents need not come as a whole
        random.Random(seed).shuffle(pairs)  # noqa: S311

    def split(candidates, at_once):
        monkeypatch.setattr("nlmt.corpora.spool._CANDIDATES", candidates)
        monkeypatch.setattr("nlmt.corpora.spool._PAIRS_AT_ONCE", at_once)
        return split_by_document(pairs, ["train", *drawn], settings, COUNT, seed=seed)

    assert split(candidates, 70) == split(len(pairs), len(pairs))


def test_few_documents_are_held(tmp_path, monkeypatch):
    monkeypatch.setattr("nlmt.corpora.spool._CANDIDATES", 2)
    pairs = (SentencePair(f"d{n}", f"a{n} b c d", f"e{n} f g h") for n in range(5000))
    spool = Spool(pairs, tmp_path)
    documents, complete = spool._first_documents(1, 40)
    assert 40 <= len(documents) <= 80
    assert not complete
