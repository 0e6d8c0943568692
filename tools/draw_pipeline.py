"""Draw docs/pipeline.svg, the picture of the pipeline in the README.

python tools/draw_pipeline.py docs/pipeline.svg
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, TOP = 168, 66, 20  # of a box; space above the first row
COLUMN, ROW = 206, 96  # distance of neighbouring boxes


@dataclass(frozen=True)
class Box:
    """A step: its place in the grid, its title and what it offers."""

    column: float
    row: float
    title: str
    lines: tuple[str, ...]

    @property
    def left(self) -> float:
        """X coordinate of the left side."""
        return 10 + COLUMN * self.column

    @property
    def top(self) -> float:
        """Y coordinate of the upper side."""
        return TOP + ROW * self.row


BOXES = {
    "corpus": Box(0, 1, "corpus", ("Debian, web, sacreBLEU,", "mtdata, own files")),
    "text": Box(1, 1, "text", ("normalise, tokenise,", "clean, split, number")),
    "classes": Box(2, 0, "word classes", ("Brown, exchange,", "frequency bins")),
    "lm": Box(3, 0, "language models", ("n-gram, neural, tuples,", "pretrained")),
    "align": Box(2, 2, "word alignment", ("both directions,", "symmetrised")),
    "tables": Box(3, 2, "phrase tables", ("phrases, scores,", "reordering")),
    "decoder": Box(4, 1, "decoder and tuning", ("Moses-compatible;", "MERT, PRO, MIRA ...")),
    "rescoring": Box(5, 1, "rescoring", ("n-best lists, lattices;", "reranking weights")),
    "evaluation": Box(6, 0.5, "evaluation", ("BLEU, TER, chrF,", "significance")),
    "papers": Box(6, 1.5, "reports", ("of each pair; tables and", "claims of four papers")),
}
ARROWS = [
    ("corpus", "text"),
    ("text", "classes"),
    ("text", "align"),
    ("classes", "lm"),
    ("align", "tables"),
    ("lm", "decoder"),
    ("tables", "decoder"),
    ("lm", "rescoring"),
    ("decoder", "rescoring"),
    ("rescoring", "evaluation"),
    ("evaluation", "papers"),
]


def draw_box(box: Box) -> str:
    """A rectangle with its texts, centred."""
    middle = box.left + WIDTH / 2
    texts = [
        f'<text x="{middle:g}" y="{box.top + 22:g}" class="title">{escape(box.title)}</text>',
        *(
            f'<text x="{middle:g}" y="{box.top + 40 + 15 * i:g}">{escape(line)}</text>'
            for i, line in enumerate(box.lines)
        ),
    ]
    rectangle = f'<rect x="{box.left:g}" y="{box.top:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    return "\n".join([rectangle, *texts])


def draw_arrow(start: Box, end: Box) -> str:
    """A line from the right side of a box to the left side of another, or down to one below."""
    if start.column == end.column:
        x = start.left + WIDTH / 2
        points = (x, start.top + HEIGHT, x, end.top)
    elif end.column - start.column > 1:  # over the box between them, into the upper side
        points = (start.left + WIDTH, start.top + 16, end.left + WIDTH / 2, end.top)
    else:
        points = (start.left + WIDTH, start.top + HEIGHT / 2, end.left, end.top + HEIGHT / 2)
    coordinates = " ".join(
        f'{name}="{value:g}"' for name, value in zip(("x1", "y1", "x2", "y2"), points, strict=True)
    )
    return f'<line {coordinates} marker-end="url(#arrow)"/>'


def draw() -> str:
    """The whole picture."""
    width = max(box.left for box in BOXES.values()) + WIDTH + 10
    height = max(box.top for box in BOXES.values()) + HEIGHT + TOP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img"'
            ' aria-label="From the corpus to the reports">',
            "<style>",
            "text { font: 12px system-ui, sans-serif; text-anchor: middle; fill: #414a54; }",
            ".title { font-size: 14px; font-weight: 600; fill: #1d2126; }",
            "rect { fill: #eef3f8; stroke: #20639b; stroke-width: 1.5; }",
            "line { stroke: #5a6169; stroke-width: 1.5; }",
            "path { fill: #5a6169; }",
            "</style>",
            f'<rect width="{width:g}" height="{height:g}" style="fill: #ffffff; stroke: none"/>',
            '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8"'
            ' markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker>',
            *(draw_arrow(BOXES[start], BOXES[end]) for start, end in ARROWS),
            *map(draw_box, BOXES.values()),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(), encoding="utf-8")
