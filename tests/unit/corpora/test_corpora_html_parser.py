"""The quick way through tags gives what Python's parser gives."""

from html.parser import HTMLParser

import numpy as np

from nlmt.corpora.html_parser import LenientHtmlParser

# Tags of the quick way, and such as only look like them; _ is a space.
PIECES = """
<p> </p> <h1_id="hd_1"> </h1> <span_class="switch"_dir="auto"> </span> <P> </P> <br> <br/>
<a_href="x?a=1&amp;b=2"> <a_href='x'> <a__href_=_"x"_> <a_b=""_c> <img_alt="a_>_b"_src="x"/>
<p_id="a"id="b"> </p_> </p_x> </_p> <script> if_(a<b)_<p> </script> <style> </style> <title>
</title> <!--_<p>_--> <!DOCTYPE_html> <?php_?> a_&lt;_b &amp text < > "
"""


class Events(HTMLParser):
    """Notes what is handled."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[tuple[str, object]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("/", tag))

    def handle_data(self, data: str) -> None:
        self.events.append(("text", data))


class LenientEvents(Events, LenientHtmlParser):
    """Notes what our parser handles."""


def events_of(parser: Events, page: str) -> list[tuple[str, object]]:
    parser.feed(page)
    parser.close()
    return parser.events


def test_tags_are_those_of_pythons_parser() -> None:
    rng, pieces = np.random.default_rng(1), PIECES.split()
    for _ in range(3000):
        page = "".join(rng.choice(pieces, size=rng.integers(1, 12))).replace("_", " ")
        assert events_of(LenientEvents(), page) == events_of(Events(), page), page
