"""Python's HTML parser, adapted to read faulty markup as browsers do."""

import re
from html.parser import HTMLParser

from typing_extensions import override

# Elements without content, which have no end tag.
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"}
    | {"track", "wbr"}
)
# The usual form of tags, read faster than by Python's parser, which allows for all forms.
_START = re.compile(r'<([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>&]*")*)>')
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')
_END = re.compile(r"</([a-z][a-z0-9]*)>")
# Elements whose content is no markup, for some versions of Python.
_OF_TEXT = frozenset(
    {"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea"}
    | {"title", "xmp"}
)


class LenientHtmlParser(HTMLParser):
    """A parser for which `<![` without a section's name begins a comment.

    Python's own raises an AssertionError there. This one does not count lines.
    """

    @override
    def parse_starttag(self, i: int) -> int:
        match = _START.match(self.rawdata, i)
        if match is None or match[1] in _OF_TEXT:
            return super().parse_starttag(i)
        self.handle_starttag(match[1], _ATTRIBUTE.findall(match[2]))
        return match.end()

    @override
    def parse_endtag(self, i: int) -> int:
        match = _END.match(self.rawdata, i) if self.cdata_elem is None else None
        if match is None:
            return super().parse_endtag(i)
        self.handle_endtag(match[1])
        return match.end()

    @override
    def updatepos(self, i: int, j: int) -> int:
        return j

    @override
    def parse_marked_section(self, i: int, report: bool = True) -> int:
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)
