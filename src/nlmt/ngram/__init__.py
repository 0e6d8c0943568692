"""n-gram language models, trained by KenLM's lmplz and queried through its Python package."""

from nlmt.ngram.class_model import ClassNgramModel
from nlmt.ngram.model import NgramModel
from nlmt.ngram.training import train_arpa, train_binary

__all__ = ["ClassNgramModel", "NgramModel", "train_arpa", "train_binary"]
