"""A picture of the verdicts on all findings that are published, for README: docs/findings.svg."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from nlmt.papers import PAPERS
from nlmt.papers.claim_views import MARKS, by_column
from nlmt.papers.publish import Publication
from nlmt.papers.verdicts import Verdict

SIDE, GAP, LINE, HEAD = 15, 2, 19, 30  # of a square, between two; of a row, of a paper's name
LEFT, MARGIN = 232, 12  # of the squares, beside a row's name; around the picture
COLOURS = {
    "holds": ("#1380c8", "holds"),
    "size": ("#8a5cc4", "has another size"),
    "opposite": ("#dd6413", "opposite"),
    "mixed": ("#d9b21c", "mixed"),
    "unclear": ("#d5dae0", "not shown"),
    "missing": ("#ffffff", "not run"),
}
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #414a54; }
.name { font-size: 14px; font-weight: 600; fill: #1d2126; }
.missing { stroke: #a4adb8; stroke-dasharray: 2 2; }
"""


def findings_svg(papers: Mapping[str, Sequence[Publication]]) -> str:
    """A square for each finding of each paper, in the order of its page, coloured by its verdict.

    A row has the findings of a scale, language pair and way of training.

    Args:
        papers: the publications of each paper, by its name in the registry.
    """
    parts: list[str] = []
    y, right = MARGIN, 0
    for key, publications in papers.items():
        if not publications:
            continue
        y += HEAD
        parts.append(f'<text class="name" x="{MARGIN}" y="{y - 10}">{_title(key)}</text>')
        order = dict.fromkeys(
            claim for one in publications for claim in one.results.verdicts["claim"]
        )
        right = max(right, LEFT + len(order) * (SIDE + GAP))
        for name, verdicts in _rows(publications):
            parts.append(f'<text x="{MARGIN}" y="{y + 12}">{escape(name)}</text>')
            parts += [
                _square(MARKS[Verdict(verdicts[claim])][0], LEFT + place * (SIDE + GAP), y)
                for place, claim in enumerate(order)
                if claim in verdicts
            ]
            y += LINE
    y += HEAD
    x = MARGIN
    for mark, (_, text) in COLOURS.items():
        parts += [_square(mark, x, y - 12), f'<text x="{x + SIDE + 6}" y="{y}">{text}</text>']
        x += SIDE + 26 + 7 * len(text)
    width, height = max(right, x) + MARGIN, y + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" role="img" aria-label="The verdicts on all findings">',
            f"<style>{STYLE}</style>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _title(key: str) -> str:
    return escape(PAPERS.get(key).title.partition(":")[0])


def _rows(publications: Sequence[Publication]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name of each row and its verdicts by finding."""
    for one in publications:
        for pair, training, own in by_column(one.results.verdicts, one.results.pairs):
            name = ", ".join(filter(None, (pair, one.scale, training)))
            yield name, dict(zip(own["claim"], own["verdict"], strict=True))


def _square(mark: str, x: int, y: int) -> str:
    """A square in the colour of a verdict."""
    colour, _ = COLOURS[mark]
    return (
        f'<rect class="{mark}" x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="3"'
        f' fill="{colour}"/>'
    )
