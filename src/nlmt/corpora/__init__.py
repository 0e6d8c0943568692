"""Corpora: get them, read them, join and split them."""

from nlmt.corpora.bitext import SentencePair, join_bitext, monolingual_text, sentence_key
from nlmt.corpora.catalogue import AptCorpus, Corpus, FileCorpus, read_corpus
from nlmt.corpora.debian import read_control, read_deb
from nlmt.corpora.download import download_package
from nlmt.corpora.extract import extract_bitext
from nlmt.corpora.help_pages import Paragraph, extract_help
from nlmt.corpora.split import Bitext, SplitConfig, split_by_document

__all__ = [
    "AptCorpus",
    "Bitext",
    "Corpus",
    "FileCorpus",
    "Paragraph",
    "SentencePair",
    "SplitConfig",
    "download_package",
    "extract_bitext",
    "extract_help",
    "join_bitext",
    "monolingual_text",
    "read_control",
    "read_corpus",
    "read_deb",
    "sentence_key",
    "split_by_document",
]
