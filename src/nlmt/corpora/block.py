"""The unit of pages of documentation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its element, and its own text, without the text of blocks within it."""

    element: str
    text: str
