"""The four papers: published values, claims, our tables beside them, and their pages."""

from nlmt.papers.claims import Cell, Claim, Relation, read_claims
from nlmt.papers.paper import PAPERS, PairFiles, Paper, Table
from nlmt.papers.published import COLUMNS, UNITS, read_published

__all__ = [
    "COLUMNS",
    "PAPERS",
    "UNITS",
    "Cell",
    "Claim",
    "PairFiles",
    "Paper",
    "Relation",
    "Table",
    "read_claims",
    "read_published",
]
