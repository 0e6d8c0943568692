"""Streaming XML by expat: no entity is declared, nothing outside the file is read.

A document that declares entities is refused, so that none can expand without bound (as in the
"billion laughs"), name a file of the machine, or reach a server. A document type may be named; its
definition is not read. HTML's names of characters are understood without it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from typing import IO, Literal
from xml.parsers import expat

from nlmt.errors import InputError

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class XmlEvent:
    """One event of reading.

    Attributes:
        kind: start or end of an element, or text.
        value: name of the element, or the text, which may come in several consecutive pieces.
        line: of the document, from 1.
    """

    kind: Literal["start", "end", "text"]
    value: str
    line: int
    attributes: Mapping[str, str] = field(default_factory=dict)


def xml_events(stream: IO[bytes], path: str) -> Iterator[XmlEvent]:
    """Yield the elements and texts of a document, in order, with bounded memory.

    Raises:
        InputError: not well formed, or it declares or refers to an entity of its own.
    """
    events: list[XmlEvent] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def line() -> int:
        return parser.CurrentLineNumber

    def refuse(*_: object) -> None:
        raise InputError(
            "declares an entity", path=path, line=line(), hint="only plain XML is read"
        )

    def skipped(name: str, is_parameter: bool) -> None:
        if is_parameter:
            return
        if f"{name};" not in html5:
            raise InputError(f"unknown entity &{name};", path=path, line=line())
        events.append(XmlEvent("text", html5[f"{name};"], line()))

    def external(context: str | None, *_: object) -> int:
        raise InputError(
            "refers to an entity outside the file", path=path, line=line(), hint="put it in"
        )

    parser.StartElementHandler = lambda name, attributes: events.append(
        XmlEvent("start", name, line(), attributes)
    )
    parser.EndElementHandler = lambda name: events.append(XmlEvent("end", name, line()))
    parser.CharacterDataHandler = lambda text: events.append(XmlEvent("text", text, line()))
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.SkippedEntityHandler = skipped
    parser.ExternalEntityRefHandler = external
    last = False
    while not last:
        block = stream.read(_BLOCK)
        last = not block
        try:
            parser.Parse(block, last)
        except InputError:
            raise
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise InputError(f"not XML: {what}", path=path, line=error.lineno) from error
        except (LookupError, ValueError) as error:  # an encoding unknown to Python or expat
            raise InputError(str(error), path=path, line=line(), hint="use UTF-8") from error
        yield from events
        events.clear()
