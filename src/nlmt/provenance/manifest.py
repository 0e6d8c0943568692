"""Manifests: hashes of all files behind artefacts, as `sha256sum --check` reads them."""

from collections.abc import Iterable
from pathlib import Path

from nlmt.io.files import write_lines
from nlmt.provenance.store import Store
from nlmt.provenance.trace import trace


def write_manifest(path: Path | str, store: Store, artefacts: Iterable[str]) -> None:
    """Write the hashes of artefacts and of what they were made from, back to the corpus.

    Inputs come before what is made from them. Files that were removed are left out.

    Raises:
        OSError: a file cannot be read or written.
    """
    hashes: dict[str, str] = {}
    for artefact in artefacts:
        hashes |= {step.path: step.sha256 for step in trace(store, artefact) if step.sha256}
    write_lines(path, (f"{digest}  {name}" for name, digest in hashes.items()))
