"""Manifests: hashes of all files behind artefacts, in the format of `sha256sum --check`."""

from collections.abc import Iterable
from pathlib import Path

from nlmt.io.files import write_lines
from nlmt.provenance.store import Store
from nlmt.provenance.trace import trace


def write_manifest(path: Path | str, store: Store, artefacts: Iterable[str]) -> None:
    """Write the hashes of artefacts and of all files behind them, back to the corpus.

    Inputs come before the files made from them. Removed files are left out.

    Raises:
        OSError: a file cannot be read or written.
    """
    steps = trace(store, *artefacts)
    write_lines(path, (f"{step.sha256}  {step.path}" for step in steps if step.sha256))
