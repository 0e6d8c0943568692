"""Parts drawn from pairs on disk are those drawn from pairs in memory."""

import random

import pytest
from splitting import split_by_document
from test_corpora_split import COUNT, corpus

from nlmt.corpora import SentencePair, SplitSettings
from nlmt.corpora.spool import Spool
from nlmt.errors import InputError


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("candidates", [1, 2, 100])
@pytest.mark.parametrize("wanted", [["dev", "test"], ["test"], ["dev", "test", "dev2"], []])
def test_same_parts_with_any_number_of_candidates(tmp_path, monkeypatch, seed, candidates, wanted):
    monkeypatch.setattr("nlmt.corpora.spool._CANDIDATES", candidates)
    monkeypatch.setattr("nlmt.corpora.spool._PAIRS_AT_ONCE", 70)
    settings = SplitSettings(dev=20, test=25, dev2=15, min_tokens=4, max_tokens=10)
    pairs = corpus(seed)
    if seed % 2:  # documents need not come as a whole
        random.Random(seed).shuffle(pairs)  # noqa: S311
    expected = split_by_document(pairs, ["train", *wanted], settings, COUNT, seed=seed)
    spool = Spool(iter(pairs), tmp_path)
    drawn, taken = spool.draw(wanted, settings, COUNT, seed)
    rest = [pair.texts() for pair in spool.by_document(taken)]
    assert list(dict.fromkeys(rest)) == expected.parts.pop("train")
    assert drawn.parts == expected.parts
    repeated = len(rest) - len(set(rest))
    assert drawn.counts | {"repeated": repeated} == expected.counts


def test_few_documents_are_held(tmp_path, monkeypatch):
    monkeypatch.setattr("nlmt.corpora.spool._CANDIDATES", 2)
    pairs = (SentencePair(f"d{n}", f"a{n} b c d", f"e{n} f g h") for n in range(5000))
    spool = Spool(pairs, tmp_path)
    documents, complete = spool._first_documents(1, 40)
    assert 40 <= len(documents) <= 80
    assert not complete


def test_too_little_text_is_the_same_error(tmp_path):
    settings = SplitSettings(dev=5, test=5000, min_tokens=1)
    pairs = corpus()
    with pytest.raises(InputError) as expected:
        split_by_document(pairs, ["train", "dev", "test"], settings, COUNT)
    with pytest.raises(InputError) as caught:
        Spool(pairs, tmp_path).draw(["dev", "test"], settings, COUNT, 1)
    assert str(caught.value) == str(expected.value)
