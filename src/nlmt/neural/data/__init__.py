"""Texts as numbers: files, encoded texts, vectors of the source, minibatches."""
