"""One run of a system in a folder of its own, for other places and machines."""

import shutil
from dataclasses import replace
from pathlib import Path

from nlmt.decoder.binary_tables import binarise_tables, is_binary_table
from nlmt.errors import InputError
from nlmt.io.files import check_file, copy_file, put_in_place, temporary_beside, write_text
from nlmt.io.json_files import write_json
from nlmt.io.moses_ini import write_ini
from nlmt.steps import step
from nlmt.translation.folder import RECASER, SYSTEMS, SystemFiles, SystemsFolder
from nlmt.translation.recase import FORMS, MODEL
from nlmt.translation.translator import moses_ini

INI, TABLES = "moses.ini", "tables.bin"
_OUTSIDE = "pretrained.json"  # names a folder of a pretrained model, with its hashes
_README = """\
A translation system of nlmt: {system}, run {run}, {source} to {target}.

Raw text:                          nlmt translate {folder} < text
Tokens, by its decoder alone:      nlmt decode -f {folder}/{ini} < tokens
"""


def export_system(
    systems: SystemsFolder, name: str, run: int, output: Path, *, threads: int = 1
) -> None:
    """Write all that translation by a run of a system needs into a new folder.

    Its `moses.ini` has tuned weights, binary tables and paths relative to itself; `nlmt translate`
    takes the folder as that of a language pair.

    The folder appears once it is complete.

    Raises:
        InputError: as `SystemsFolder.run_of`; the folder is there; a file is not in the results.
    """
    files = systems.run_of(name, run)
    if output.exists():
        raise InputError("is there already", path=output, hint="give another name")
    for path in [*files.files, *systems.tokenisation.text_models]:
        if path.endswith(f"/{_OUTSIDE}"):
            what = "a pretrained model is outside of the results, and cannot be exported"
            raise InputError(what, path=systems.folder / path, hint="export another system")
        if Path(path).is_absolute() or ".." in Path(path).parts:
            what = f"{path} is outside of the folder, and cannot be exported"
            raise InputError(what, path=systems.folder / SYSTEMS)
    folder = output.absolute()
    temporary = temporary_beside(folder)
    try:
        exported = _with_files(systems, files, name, temporary, threads)
        write_ini(temporary / INI, moses_ini(exported, exported.systems[name][1], Path()))
        write_json(temporary / SYSTEMS, exported.content(), indent=1)
        facts = {"source": systems.source, "target": systems.target, "folder": output.name}
        write_text(temporary / "README", _README.format(system=name, run=run, ini=INI, **facts))
        put_in_place(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _with_files(
    systems: SystemsFolder, files: SystemFiles, name: str, folder: Path, threads: int
) -> SystemsFolder:
    """The system alone in a new folder, with copies of its files."""
    with step("copy the models"):
        copied = [*files.model_files, *systems.tokenisation.text_models]
        if systems.tokenisation.casing == "lower":
            copied += [f"{RECASER}/{FORMS}", f"{RECASER}/{MODEL}"]
        for path in copied:
            _copy(systems.folder / path, folder / path)
        _copy(systems.folder / files.weights, folder / "weights.json")
        rescoring = files.rescoring
        if rescoring is not None:
            _copy(systems.folder / rescoring.weights, folder / "reranking.json")
            rescoring = replace(rescoring, weights="reranking.json")
    phrases = systems.folder / files.phrase_table
    if is_binary_table(phrases):
        _copy(phrases, folder / TABLES)
    else:
        reordering = systems.folder / files.reordering_table
        binarise_tables(phrases, reordering, folder / TABLES, threads=threads)
    alone = replace(
        files,
        phrase_table=TABLES,
        reordering_table=TABLES,
        weights="weights.json",
        rescoring=rescoring,
    )
    return replace(systems, folder=folder, systems={name: {1: alone}}, compared=(name,))


def _copy(path: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy_file(check_file(path), copy)
