"""The moses.ini of before 2013, whose sections name files by kind and weights apart from them.

Moses reads both forms, though not in one file, and takes this one as what it would be in the other:
`[ttable-file]` with `0 0 0 4 table` and the first four of `[weight-t]` is a feature
PhraseDictionaryMemory with these weights.
"""

from collections.abc import Iterator, Mapping, Sequence

from nlmt.io.fields import is_whole_number, parse_number, split_fields

OLD_SECTIONS = frozenset(
    ["ttable-file", "lmodel-file", "distortion-file"]
    + [f"weight-{part}" for part in ("t", "l", "d", "w", "u", "p")]
)
_TABLES = {
    "0": "PhraseDictionaryMemory",
    "1": "PhraseDictionaryBinary",
    "2": "PhraseDictionaryOnDisk",
    "6": "PhraseDictionaryMemory",
    "8": "PhraseDictionarySuffixArray",
    "12": "PhraseDictionaryCompact",
    "14": "PhraseDictionaryDynSuffixArray",
}
_MODELS = {"0": "SRILM", "1": "IRSTLM", "8": "KENLM", "9": "KENLM"}


class OldIni:
    """The features of old sections, as lines of `[feature]`, with the weights of each."""

    def __init__(self, sections: Mapping[str, Sequence[str]]) -> None:
        """Convert the sections.

        Raises:
            ValueError: an entry that is malformed or of an unknown kind, or too few weights or
                limits.
        """
        self._sections = sections
        self.lines: list[str] = []
        self.weights: list[list[float]] = []
        self._taken: dict[str, int] = {}
        # In the order of Moses, on which values without names depend.
        for kind, factors, order, path in self._entries("lmodel-file", "KIND FACTOR ORDER FILE"):
            known = self._kind("lmodel-file", _MODELS, kind)
            self._add(f"{known} factor={factors} order={order} path={path}", "weight-l")
        if "weight-d" in sections:
            self._add("Distortion", "weight-d")
        for factors, kind, width, path in self._entries("distortion-file", "0-0 TYPE N FILE"):
            source, _, target = factors.partition("-")
            line = f"LexicalReordering type={kind} num-features={width} path={path}"
            self._add(f"{line} input-factor={source} output-factor={target}", "weight-d", width)
        if "weight-p" in sections:
            self._add("PhrasePenalty", "weight-p")
        for line, section in (("WordPenalty", "weight-w"), ("UnknownWordPenalty", "weight-u")):
            self._add(line, section if section in sections else "")
        limits = sections.get("ttable-limit", [])
        tables = list(self._entries("ttable-file", "KIND FACTORS FACTORS N FILE"))
        if 1 < len(limits) < len(tables):
            raise ValueError(f"[ttable-limit] has {len(limits)} limits, for {len(tables)} tables")
        for number, (kind, source, target, width, path) in enumerate(tables):
            line = f"{self._kind('ttable-file', _TABLES, kind)} num-features={width} path={path}"
            if len(limits) > 1:
                line += f" table-limit={limits[number]}"
            self._add(f"{line} input-factor={source} output-factor={target}", "weight-t", width)
        for section, taken in self._taken.items():
            if taken < len(sections.get(section, [])):
                raise ValueError(f"[{section}] has {len(sections[section])} weights, not {taken}")

    def rest(self) -> dict[str, list[str]]:
        """The sections that are not converted."""
        gone = set(OLD_SECTIONS)
        if len(self._sections.get("ttable-limit", [])) > 1:
            gone.add("ttable-limit")
        return {name: list(values) for name, values in self._sections.items() if name not in gone}

    def _add(self, line: str, section: str, width: str = "1") -> None:
        """Add a feature with the next `width` weights of a section; without one, with weight 1."""
        if not is_whole_number(width):
            raise ValueError(f"'{width}' is no number of weights")
        begin = self._taken.get(section, 0)
        values = self._sections.get(section, [])[begin : begin + int(width)] if section else ["1"]
        if len(values) < int(width):
            raise ValueError(f"[{section}] has too few weights")
        if section:
            self._taken[section] = begin + int(width)
        self.lines.append(line)
        try:
            self.weights.append(list(map(parse_number, values)))
        except ValueError as error:
            raise ValueError(f"[{section}]: {error}") from error

    def _entries(self, section: str, form: str) -> Iterator[list[str]]:
        for entry in self._sections.get(section, []):
            fields, width = split_fields(entry), len(form.split())
            if len(fields) < width:
                raise ValueError(f"[{section}]: '{entry}' is not {form}")
            yield fields[:width]  # kinds that are not supported have more

    def _kind(self, section: str, kinds: Mapping[str, str], kind: str) -> str:
        if kind not in kinds:
            raise ValueError(f"[{section}]: no kind {kind} (there are {', '.join(kinds)})")
        return kinds[kind]
