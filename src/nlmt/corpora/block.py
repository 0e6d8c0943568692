"""The unit of pages of documentation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """One block.

    Attributes:
        text: its own, without the text of blocks within it.
        unknown: an escape that names no known character, a macro or a directive, for which the
            block is without text.
    """

    element: str
    text: str
    unknown: str = ""
