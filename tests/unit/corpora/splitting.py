"""The split of pairs into parts."""

from collections.abc import Collection, Iterable

from nlmt.corpora import Bitext, SentencePair, SplitSettings
from nlmt.corpora.split import TokenCounter
from nlmt.corpora.spool import Spool
from nlmt.io.temporary import temporary_folder


def split_by_document(
    pairs: Iterable[SentencePair],
    wanted: Collection[str],
    settings: SplitSettings,
    count_tokens: tuple[TokenCounter, TokenCounter],
    *,
    seed: int = 1,
) -> Bitext:
    """Draw the wanted parts; train has each of the other pairs once."""
    drawn = [part for part in wanted if part != "train"]
    with temporary_folder() as folder:
        spool = Spool(pairs, folder)
        bitext, taken = spool.draw(drawn, settings, count_tokens, seed)
        if "train" in wanted:
            rest = [pair.texts() for pair in spool.by_document(taken)()]
            bitext.parts["train"] = list(dict.fromkeys(rest))
            bitext.counts["repeated"] = len(rest) - len(bitext.parts["train"])
    return bitext
