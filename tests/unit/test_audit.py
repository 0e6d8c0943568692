"""`make audit`: the bill of materials, and versions that advisories name."""

import json
from pathlib import Path

import pytest
import yaml

from tools.audit import (
    UNKNOWN,
    Component,
    advisories,
    bill_of_materials,
    concerns,
    main,
    python_packages,
)

ADVISORY = {
    "id": "PYSEC-0000-1",
    "summary": "Reads too much.",
    "affected": [
        {
            "package": {"name": "Some_Package", "ecosystem": "PyPI"},
            "ranges": [
                {"type": "GIT", "events": [{"introduced": "0"}]},
                {
                    "type": "ECOSYSTEM",
                    "events": [
                        {"introduced": "0"},
                        {"fixed": "1.2"},
                        {"introduced": "2.0"},
                        {"last_affected": "2.4"},
                    ],
                },
            ],
            "versions": ["1.5rc1"],
        }
    ],
}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.0", True),
        ("1.1.9", True),
        ("1.2", False),
        ("1.10", False),
        ("1.5rc1", True),
        ("2.0", True),
        ("2.4", True),
        ("2.4.1", False),
        ("of-no-order", False),
    ],
)
def test_ranges_are_those_of_osv(version: str, expected: bool) -> None:
    assert concerns(ADVISORY["affected"][0], version) is expected  # type: ignore[index]


def test_advisories_of_installed_packages_that_are_not_withdrawn(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(ADVISORY))
    (tmp_path / "two.json").write_text(json.dumps(ADVISORY | {"withdrawn": "2020-01-01"}))
    installed = [Component("pypi", "some-package", "1.0"), Component("pypi", "other", "1.0")]
    found = list(advisories(tmp_path, installed))
    assert [(one.id, one.component.name) for one in found] == [("PYSEC-0000-1", "some-package")]
    assert list(advisories(tmp_path, [Component("deb", "some-package", "1.0")])) == []


def test_bill_of_materials_has_what_cyclonedx_requires() -> None:
    parts = [
        Component("pypi", "one", "1.0", "MIT OR Apache-2.0"),
        Component("pypi", "two", "2.0", "in its own words"),
        Component("deb", "three", "3-1", UNKNOWN),
    ]
    bill = bill_of_materials(parts)
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.5", 1)
    assert bill["components"] == [
        {
            "type": "library",
            "bom-ref": "pkg:pypi/one@1.0",
            "name": "one",
            "version": "1.0",
            "purl": "pkg:pypi/one@1.0",
            "licenses": [{"expression": "MIT OR Apache-2.0"}],
        },
        {
            "type": "library",
            "bom-ref": "pkg:pypi/two@2.0",
            "name": "two",
            "version": "2.0",
            "purl": "pkg:pypi/two@2.0",
            "licenses": [{"license": {"name": "in its own words"}}],
        },
        {
            "type": "library",
            "bom-ref": "pkg:deb/debian/three@3-1",
            "name": "three",
            "version": "3-1",
            "purl": "pkg:deb/debian/three@3-1",
        },
    ]


def test_the_environment_has_its_packages_and_their_licences(tmp_path: Path) -> None:
    found = {component.name: component for component in python_packages()}
    assert found["numpy"].licence != UNKNOWN
    (tmp_path / "none").mkdir()
    assert main([str(tmp_path / "out"), "--advisories", str(tmp_path / "none")]) == 0
    rows = (tmp_path / "out/licences.tsv").read_text().splitlines()
    assert f"numpy\t{found['numpy'].version}\t{found['numpy'].licence}" in rows
    bill = json.loads((tmp_path / "out/sbom.cdx.json").read_text())
    assert len(bill["components"]) == len(found) == len(rows) - 1
