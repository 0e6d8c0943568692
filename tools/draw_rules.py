"""Draw docs/rules.svg, the rules of the demo and their inputs, from Snakemake's own graph.

snakemake demo --rulegraph --quiet | python tools/draw_rules.py docs/rules.svg

Arrows that follow from others are left out. Rules stand in layers, each below all that it needs; in
a layer they are ordered by where their neighbours stand (Sugiyama et al. 1981).
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

WIDTH, HEIGHT, LINE = 152, 28, 18  # of a box; of the place of an arrow that passes a layer
GAP, STEP, MARGIN = 14, 52, 10  # between neighbours, from layer to layer, around the picture
SWEEPS = 20

Needs = dict[str, set[str]]
# An item of a layer: a rule, or an arrow from one rule to another that passes the layer.
Item = str | tuple[str, str, int]


def read_graph(dot: str) -> Needs:
    """By rule of `snakemake --rulegraph`, the rules whose outputs it needs."""
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"]+)"', dot, re.M))
    needs: Needs = {name: set() for name in names.values()}
    for needed, by in re.findall(r"^\s*(\d+) -> (\d+)", dot, re.M):
        if needed != by:  # a rule of which one job needs another one's output
            needs[names[by]].add(names[needed])
    return needs


def reduced(needs: Needs) -> Needs:
    """The arrows that do not follow from the others."""

    def behind(rule: str) -> set[str]:
        return needs[rule].union(*(behind(one) for one in needs[rule]))

    return {
        rule: {one for one in direct if not any(one in behind(other) for other in direct)}
        for rule, direct in needs.items()
    }


def depths(needs: Needs) -> dict[str, int]:
    """The layer of each rule: the longest way to it."""

    @cache
    def depth(rule: str) -> int:
        return max((depth(one) + 1 for one in needs[rule]), default=0)

    return {rule: depth(rule) for rule in needs}


@dataclass(frozen=True)
class Layout:
    """The layers, each from left to right, and which items of neighbouring layers are joined."""

    layers: list[list[Item]]
    joined: list[tuple[Item, Item]]

    def places(self) -> dict[Item, float]:
        """The middle of each item, the middle of the picture being 0."""
        found: dict[Item, float] = {}
        for layer in self.layers:
            sizes = [WIDTH if isinstance(item, str) else LINE for item in layer]
            left = -(sum(sizes) + GAP * (len(sizes) - 1)) / 2
            for item, size in zip(layer, sizes, strict=True):
                found[item] = left + size / 2
                left += size + GAP
        return found


def lay_out(needs: Needs) -> Layout:
    """Put the rules into layers and order them so that few arrows cross."""
    depth = depths(needs)
    layers: list[list[Item]] = [[] for _ in range(max(depth.values()) + 1)]
    for rule in sorted(needs):
        layers[depth[rule]].append(rule)
    joined: list[tuple[Item, Item]] = []
    for rule in sorted(needs):
        for needed in sorted(needs[rule]):
            passed: list[Item] = [(needed, rule, i) for i in range(depth[needed] + 1, depth[rule])]
            for item, layer in zip(passed, layers[depth[needed] + 1 :], strict=False):
                layer.append(item)
            joined += pairwise([needed, *passed, rule])
    layout = Layout(layers, joined)
    for sweep in range(SWEEPS):
        neighbours: dict[Item, list[Item]] = {}
        for upper, lower in joined:
            one, other = (lower, upper) if sweep % 2 == 0 else (upper, lower)
            neighbours.setdefault(one, []).append(other)
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            places = layout.places()
            layer.sort(key=lambda item: mean(places, neighbours.get(item, [item])))
    return layout


def mean(places: Mapping[Item, float], items: list[Item]) -> float:
    """The mean position of some items."""
    return sum(places[item] for item in items) / len(items)


def draw(dot: str) -> str:
    """The whole picture."""
    layout = lay_out(reduced(read_graph(dot)))
    places = layout.places()
    row = {item: i for i, layer in enumerate(layout.layers) for item in layer}
    right = max(abs(x) for x in places.values()) + WIDTH / 2 + MARGIN
    height = 2 * MARGIN + HEIGHT + STEP * (len(layout.layers) - 1)

    def point(item: Item, edge: int) -> tuple[float, float]:
        """A place on the edge of an item: -1 its upper side, 1 its lower one."""
        y = MARGIN + HEIGHT / 2 + STEP * row[item]
        return right + places[item], y + edge * HEIGHT / 2

    lines = []
    for upper, lower in layout.joined:
        (x, y), (to_x, to_y) = point(upper, 1), point(lower, -1)
        middle = (y + to_y) / 2
        through = f" V{to_y + HEIGHT:g}" if not isinstance(lower, str) else ""
        arrow = ' marker-end="url(#arrow)"' if isinstance(lower, str) else ""
        curve = f"M{x:g},{y:g} C{x:g},{middle:g} {to_x:g},{middle:g} {to_x:g},{to_y:g}{through}"
        lines.append(f'<path d="{curve}"{arrow}/>')
    boxes = [
        f'<rect x="{x - WIDTH / 2:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>\n'
        f'<text x="{x:g}" y="{y + HEIGHT / 2 + 4:g}">{item}</text>'
        for layer in layout.layers
        for item in layer
        if isinstance(item, str)
        for x, y in [point(item, -1)]
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * right:g} {height:g}"'
            f' width="{2 * right:g}" role="img" aria-label="The rules of the demo">',
            "<style>",
            "text { font: 12px system-ui, sans-serif; text-anchor: middle; fill: #1d2126; }",
            "rect { fill: #eef3f8; stroke: #20639b; stroke-width: 1.5; }",
            "path { fill: none; stroke: #5a6169; stroke-width: 1.3; }",
            "#arrow path { fill: #5a6169; stroke: none; }",
            "</style>",
            '<rect width="100%" height="100%" style="fill: #ffffff; stroke: none"/>',
            '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
            ' markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker>',
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(sys.stdin.read()), encoding="utf-8")
