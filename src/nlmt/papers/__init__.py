"""What the four papers publish: the values of their tables and figures, and their findings."""

from nlmt.papers.claims import Cell, Claim, Relation, read_claims
from nlmt.papers.published import COLUMNS, UNITS, read_published

__all__ = ["COLUMNS", "UNITS", "Cell", "Claim", "Relation", "read_claims", "read_published"]
