"""From the files of a corpus to train, dev and test of one language pair."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from nlmt.corpora.bitext import join_bitext
from nlmt.corpora.catalogue import Corpus, FileCorpus
from nlmt.corpora.help_pages import Paragraph, extract_help
from nlmt.corpora.split import Bitext, SplitConfig, TokenCounter, split_by_document
from nlmt.corpora.user_files import read_user_bitext


def extract_bitext(
    corpus: Corpus,
    source: Sequence[Path],
    target: Sequence[Path],
    split: SplitConfig,
    count_source: TokenCounter,
    count_target: TokenCounter,
    threads: int = 1,
) -> Bitext:
    """Read, join and split one language pair of a corpus.

    Args:
        corpus: the entry of the catalogue.
        source: what `corpus.inputs(source language)` names.
        target: what `corpus.inputs(target language)` names.
        split: how dev and test are drawn where the corpus has none.
        count_source: number of tokens of a source sentence.
        count_target: number of tokens of a target sentence.
        threads: processes that read packages.

    Raises:
        InputError: a file is missing, damaged or does not fit the other; or too little text.
    """
    if isinstance(corpus, FileCorpus):
        return read_user_bitext(corpus.parts, source, target, split, count_source, count_target)
    source_text, target_text = _read_packages([*source, *target], threads)
    pairs, counts = join_bitext(source_text, target_text)
    bitext = split_by_document(pairs, split, count_source, count_target)
    bitext.counts = counts | bitext.counts
    return bitext


def _read_packages(paths: Sequence[Path], threads: int) -> list[list[Paragraph]]:
    if threads == 1:
        return [extract_help(path) for path in paths]
    with ProcessPoolExecutor(min(threads, len(paths)), get_context("spawn")) as pool:
        return list(pool.map(extract_help, paths))
