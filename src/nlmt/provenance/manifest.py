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
    steps = trace(store, *artefacts)
    write_lines(path, (f"{step.sha256}  {step.path}" for step in steps if step.sha256))
