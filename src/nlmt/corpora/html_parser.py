"""Python's HTML parser, adapted to read faulty markup as browsers do."""

from html.parser import HTMLParser

from typing_extensions import override


class LenientHtmlParser(HTMLParser):
    """A parser for which `<![` without a section's name begins a comment.

    Python's own raises an AssertionError there.
    """

    @override
    def parse_marked_section(self, i: int, report: bool = True) -> int:
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)
