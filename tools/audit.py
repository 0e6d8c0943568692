"""Installed packages: a bill of materials, licences, and known vulnerabilities.

    python tools/audit.py FOLDER [--advisories FOLDER] [--debian PACKAGE ...]

Writes FOLDER/sbom.cdx.json (CycloneDX 1.5) and FOLDER/licences.tsv, and compares the Python
packages of this environment with advisories in the OSV format, of which
https://github.com/pypa/advisory-database is a collection; nothing is fetched. Status 1: an advisory
names a version that is installed.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import yaml
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

UNKNOWN = "not stated"
# Classifiers that name a licence of SPDX's list unambiguously.
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STATED = 60  # characters; more is the text of a licence, not its name


@dataclass(frozen=True, order=True)
class Component:
    """One installed package.

    Attributes:
        ecosystem: `pypi` or `deb`.
        name: as the ecosystem spells it.
        version: installed.
        licence: an SPDX expression where the package states one, else in its own words.
    """

    ecosystem: str
    name: str
    version: str
    licence: str = UNKNOWN

    @property
    def purl(self) -> str:
        """Its package URL."""
        place = {"pypi": "pypi", "deb": "deb/debian"}[self.ecosystem]
        return f"pkg:{place}/{self.name}@{self.version}"


@dataclass(frozen=True)
class Advisory:
    """A known vulnerability of a package that is installed."""

    id: str
    component: Component
    summary: str


def python_packages() -> list[Component]:
    """The distributions of this environment."""
    return sorted(
        {
            Component("pypi", canonicalize_name(found.name), found.version, licence_of(found))
            for found in distributions()
            if found.name
        }
    )


def licence_of(found: Distribution) -> str:
    """The licence that a distribution states."""
    stated = found.metadata.get("License-Expression") or ""
    if stated:
        return str(stated)
    classifiers = [
        str(classifier).rpartition(" :: ")[2]
        for classifier in found.metadata.get_all("Classifier") or []
        if str(classifier).startswith("License :: ")
    ]
    named = sorted({CLASSIFIERS.get(name, name) for name in classifiers} - {"OSI Approved"})
    if named:
        return " AND ".join(named)
    own = str(found.metadata.get("License") or "").strip().split("\n")[0]
    return own if 0 < len(own) <= _STATED else UNKNOWN


def debian_packages(names: Sequence[str]) -> list[Component]:
    """The given Debian packages that are installed."""
    if not names:
        return []
    format_ = "${Package}\t${Version}\t${db:Status-Abbrev}\n"
    command = ["dpkg-query", "--show", f"--showformat={format_}", *names]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    return [
        Component("deb", name, version, f"see /usr/share/doc/{name}/copyright")
        for name, version, state in rows
        if "ii" in state
    ]


def bill_of_materials(components: Sequence[Component]) -> dict[str, object]:
    """All components in CycloneDX's form."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": [
            {
                "type": "library",
                "bom-ref": component.purl,
                "name": component.name,
                "version": component.version,
                "purl": component.purl,
                **_licences(component.licence),
            }
            for component in components
        ],
    }


def _licences(licence: str) -> dict[str, object]:
    """An expression of SPDX, or a licence by its name."""
    if licence == UNKNOWN:
        return {}
    try:
        return {"licenses": [{"expression": canonicalize_license_expression(licence)}]}
    except InvalidLicenseExpression:
        return {"licenses": [{"license": {"name": licence}}]}


def advisories(folder: Path, components: Sequence[Component]) -> Iterator[Advisory]:
    """The advisories that name an installed version."""
    installed = {found.name: found for found in components if found.ecosystem == "pypi"}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".yaml", ".json"):
            continue
        record = yaml.load(path.read_bytes(), Loader=_LOADER)  # noqa: S506 (safe, in C)
        if not isinstance(record, dict) or record.get("withdrawn"):
            continue
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            component = installed.get(canonicalize_name(package.get("name", "")))
            of_pypi = package.get("ecosystem") == "PyPI"
            if of_pypi and component and concerns(affected, component.version):
                summary = record.get("summary") or record.get("details") or ""
                yield Advisory(record["id"], component, summary.partition("\n")[0])


def concerns(affected: Mapping[str, Any], version: str) -> bool:
    """Whether an entry of `affected` names a version, by itself or in a range."""
    if version in affected.get("versions", ()):
        return True
    return any(
        _within(scope.get("events", ()), version)
        for scope in affected.get("ranges", ())
        if scope.get("type") == "ECOSYSTEM"
    )


def _within(events: Sequence[Mapping[str, str]], version: str) -> bool:
    """Whether a version lies in a range that events open and close, as OSV defines it."""
    inside = False
    try:
        installed = Version(version)
        for event in events:
            for kind, text in event.items():
                bound = Version(text)
                if kind == "introduced" and installed >= bound:
                    inside = True
                elif (kind == "fixed" and installed >= bound) or (
                    kind == "last_affected" and installed > bound
                ):
                    inside = False
    except InvalidVersion:
        return False
    return inside


def main(arguments: Sequence[str]) -> int:
    """Write the files, and print findings."""
    description = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="where sbom.cdx.json and licences.tsv go")
    parser.add_argument("--advisories", type=Path, help="folder with advisories in OSV's format")
    parser.add_argument("--debian", nargs="*", default=[], metavar="PACKAGE")
    options = parser.parse_args(arguments)
    components = [*python_packages(), *debian_packages(options.debian)]
    options.folder.mkdir(parents=True, exist_ok=True)
    bill = json.dumps(bill_of_materials(components), indent=2)
    (options.folder / "sbom.cdx.json").write_text(bill + "\n", encoding="utf-8")
    rows = [f"{found.name}\t{found.version}\t{found.licence}\n" for found in components]
    table = "".join(["package\tversion\tlicence\n", *rows])
    (options.folder / "licences.tsv").write_text(table, encoding="utf-8")
    unknown = [found.name for found in components if found.licence == UNKNOWN]
    print(f"{len(components)} packages; licence not stated: {', '.join(unknown) or 'none'}")
    if options.advisories is None:
        print("vulnerabilities: not checked; --advisories FOLDER names a copy of a database")
        return 0
    if not options.advisories.is_dir():
        print(f"error: {options.advisories}: no such folder", file=sys.stderr)
        return 2
    found = list(advisories(options.advisories, components))
    for one in found:
        print(f"{one.id}\t{one.component.name} {one.component.version}\t{one.summary}")
    print(f"vulnerabilities: {len(found)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
