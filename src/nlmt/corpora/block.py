"""The unit of pages of documentation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """One block.

    Attributes:
        text: its own, without the text of blocks within it.
        unknown: an escape that names no known character, for which the block is left without text.
    """

    element: str
    text: str
    unknown: str = ""
