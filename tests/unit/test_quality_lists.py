"""Lists of what `make coverage` and `make acceptance-mutations` measure name what there is."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_filter_of_coverage_matches_a_file() -> None:
    cpp = ROOT / "cpp"
    files = [str(path.relative_to(cpp)) for path in cpp.rglob("*") if path.is_file()]
    settings = (cpp / "gcovr.cfg").read_text()
    filters = re.findall(r"^filter = (.*)", settings, re.MULTILINE)
    assert filters
    assert [one for one in filters if not any(re.match(one, file) for file in files)] == []


def test_every_mutation_without_effect_has_its_place() -> None:
    table = (ROOT / "tests/mutations/without_effect.tsv").read_text()
    for line in table.splitlines()[1:]:
        module, before, old, *_ = line.split("\t")
        source = (ROOT / "src/nlmt" / module).read_text()
        code = " ".join(row.strip() for row in source.splitlines())
        assert f" {before} {old} " in f" {code} ", line
