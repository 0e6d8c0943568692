"""The unit of pages of documentation."""

from typing import NamedTuple


class Block(NamedTuple):
    """One block, as a tuple that goes quickly from one process to another.

    Attributes:
        text: its own, without the text of blocks within it.
        unknown: an escape that names no known character, a macro, a directive, a substitution or a
            fault of the markup, for which the block is without text.
    """

    element: str
    text: str
    unknown: str = ""
