"""The split of a corpus in memory: the reference for the one on disk."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from nlmt.corpora import Bitext, SentencePair, SplitSettings
from nlmt.corpora.split import NO_TRAIN, SMALLER, TokenCounter, draw, rank, shared_keys
from nlmt.errors import InputError


def split_by_document(
    pairs: Sequence[SentencePair],
    wanted: Collection[str],
    settings: SplitSettings,
    count_tokens: tuple[TokenCounter, TokenCounter],
    *,
    seed: int = 1,
    seen: Collection[str] = (),
) -> Bitext:
    """Assign whole documents to test, dev and dev2 until they are full, and the rest to train.

    Documents come in the order of a hash of seed and name. Of a held-out document, only those
    sentences are used that have the wanted length and whose source and target, compared by
    `sentence_key`, occur in no other document; so no sentence of one part is in another, and none
    occurs twice in the held-out parts. Equal pairs of train are counted once.

    Args:
        pairs: all sentence pairs.
        wanted: names of the parts to make.
        settings: sizes and lengths.
        count_tokens: number of tokens of a source sentence, and of a target sentence.
        seed: of the order of documents.
        seen: keys (`pair_keys`) of sentences that are never held out, as they are in other training
            text.

    Raises:
        InputError: too little text for the requested sizes.
    """
    documents: dict[str, list[SentencePair]] = defaultdict(list)
    for pair in pairs:
        documents[pair.document].append(pair)
    remaining = iter(sorted(documents, key=lambda name: rank(seed, name)))
    keys = {key for pair in pairs for key in pair.compared()}
    shared = shared_keys(pairs, keys).union(seen)
    drawn = draw(remaining, documents, wanted, settings, count_tokens, shared)
    parts, counts = drawn.parts, drawn.counts
    if "train" in wanted:
        rest = [pair.texts() for document in sorted(remaining) for pair in documents[document]]
        parts["train"] = list(dict.fromkeys(rest))
        if not rest:
            raise InputError(NO_TRAIN, hint=SMALLER)
        counts["repeated"] = len(rest) - len(parts["train"])
    return drawn
