"""Texts: read, encoded in files, as numbers."""
