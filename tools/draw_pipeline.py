"""Draw docs/pipeline.svg, the picture of the pipeline in the README.

python tools/draw_pipeline.py docs/pipeline.svg
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, TOP = 168, 66, 10  # of a box; space above the first row
COLUMN, ROW = 198, 96  # distance of neighbouring boxes


@dataclass(frozen=True)
class Box:
    """A step: its place in the grid, its title and what it offers."""

    column: int
    row: int
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


# Two columns, so that a phone shows it at its size.
BOXES = {
    "corpus": Box(0, 0, "corpus", ("Debian, web, sacreBLEU,", "mtdata, own files")),
    "text": Box(1, 0, "text", ("normalise, tokenise,", "clean, split, number")),
    "classes": Box(0, 1, "word classes", ("Brown, exchange,", "frequency bins")),
    "align": Box(1, 1, "word alignment", ("both directions,", "symmetrised")),
    "lm": Box(0, 2, "language models", ("n-gram, neural, tuples,", "pretrained")),
    "tables": Box(1, 2, "phrase tables", ("phrases, scores,", "reordering")),
    "rescoring": Box(0, 3, "rescoring", ("n-best lists, lattices;", "reranking weights")),
    "decoder": Box(1, 3, "decoder and tuning", ("Moses-compatible;", "MERT, PRO, MIRA ...")),
    "evaluation": Box(0, 4, "evaluation", ("BLEU, TER, chrF,", "significance")),
    "papers": Box(1, 4, "reports", ("of each pair; tables and", "claims of four papers")),
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
    """A line to the facing side of a box in the same row, or down to the upper side of another."""
    if start.row == end.row:
        left, right = (0, WIDTH) if start.column > end.column else (WIDTH, 0)
        y = start.top + HEIGHT / 2
        points = (start.left + left, y, end.left + right, y)
    else:
        points = (start.left + WIDTH / 2, start.top + HEIGHT, end.left + WIDTH / 2, end.top)
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
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            f' width="{width:g}" role="img" aria-label="From the corpus to the reports">',
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
