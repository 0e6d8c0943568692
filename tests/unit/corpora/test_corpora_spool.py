"""Parts drawn in little memory are those drawn by hand, from all pairs at once."""

import hashlib
import random

import pytest
from splitting import split_by_document
from test_corpora_split import COUNT, corpus, count

from nlmt.corpora import Bitext, SentencePair, SplitSettings
from nlmt.corpora.spool import Spool


def drawn_by_hand(pairs, wanted, settings, seed):
    documents, homes = {}, {}
    for pair in pairs:
        documents.setdefault(pair.document, []).append(pair)
        for key in pair.compared():
            homes.setdefault(key, set()).add(pair.document)
    order = sorted(documents, key=lambda name: hashlib.sha256(f"{seed}\t{name}".encode()).digest())
    parts, counts = {}, {"held_out_length": 0, "held_out_seen": 0}
    for part in (name for name in ("test", "dev", "dev2") if name in wanted):
        found = parts[part] = []
        while len(found) < getattr(settings, part):
            own = set()
            for pair in documents.pop(order.pop(0)):
                keys = pair.compared()
                lengths = [count(pair.source), count(pair.target)]
                if keys & own or any(len(homes[key]) > 1 for key in keys):
                    counts["held_out_seen"] += 1
                elif min(lengths) < settings.min_tokens or max(lengths) > settings.max_tokens:
                    counts["held_out_length"] += 1
                else:
                    own |= keys
                    found.append(pair.texts())
    rest = [pair.texts() for name in sorted(documents) for pair in documents[name]]
    parts["train"] = list(dict.fromkeys(rest))
    return Bitext(parts, counts | {"repeated": len(rest) - len(parts["train"])})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("candidates", [1, 2, 100])
@pytest.mark.parametrize("drawn", [["dev", "test"], ["test"], ["dev", "test", "dev2"], []])
def test_same_parts_with_any_number_of_candidates(monkeypatch, seed, candidates, drawn):
    monkeypatch.setattr("nlmt.corpora.spool._CANDIDATES", candidates)
    monkeypatch.setattr("nlmt.corpora.spool._PAIRS_AT_ONCE", 70)
    settings = SplitSettings(dev=20, test=25, dev2=15, min_tokens=4, max_tokens=10)
    pairs = corpus(seed)
    if seed % 2:  # documents need not come as a whole
        random.Random(seed).shuffle(pairs)  # noqa: S311
    found = split_by_document(pairs, ["train", *drawn], settings, COUNT, seed=seed)
    assert found == drawn_by_hand(pairs, drawn, settings, seed)


def test_few_documents_are_held(tmp_path, monkeypatch):
    monkeypatch.setattr("nlmt.corpora.spool._CANDIDATES", 2)
    pairs = (SentencePair(f"d{n}", f"a{n} b c d", f"e{n} f g h") for n in range(5000))
    spool = Spool(pairs, tmp_path)
    documents, complete = spool._first_documents(1, 40)
    assert 40 <= len(documents) <= 80
    assert not complete
