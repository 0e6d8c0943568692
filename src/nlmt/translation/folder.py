"""Translation systems in a folder: their files and settings, as `systems.json` names them.

The folder is that of a language pair, or one that `export_system` wrote. Paths are relative to it.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.registry import nearest
from nlmt.text import Tokenisation

SYSTEMS = "systems.json"
RECASER = "recaser"  # folder of the recaser, where the casing is lower
SEARCH = ("pop_limit", "stack", "distortion_limit", "table_limit")  # keys of the decoder


@dataclass(frozen=True)
class Rescoring:
    """The choice of a system from the decoder's lists or lattices.

    Attributes:
        models: file of each model by its feature.
        tuples: features of models that score tuples.
        size: translations of a sentence in a list.
        weights: file of the weights.
        density: phrases per word of a lattice; None: it rescores lists.
        states: kept at a node of a lattice; None: all.
        sees_reference: whether a model needs the reference, so that it cannot translate.
    """

    models: Mapping[str, str]
    tuples: tuple[str, ...]
    size: int
    weights: str
    density: float | None = None
    states: int | None = None
    sees_reference: bool = False


@dataclass(frozen=True)
class SystemFiles:
    """One run of a system.

    Attributes:
        phrase_table: text, or binary with both tables.
        reordering_table: of the same phrases.
        language_models: of the decoder, as lines of a moses.ini.
        recombination_context: of the decoder.
        weights: file of the decoder's weights.
        model_files: all files of its language models.
        rescoring: None of a system that only decodes.
        objective: for which its last weights were tuned.
    """

    phrase_table: str
    reordering_table: str
    language_models: tuple[str, ...]
    recombination_context: int
    weights: str
    model_files: tuple[str, ...]
    rescoring: Rescoring | None = None
    objective: str = "bleu"

    @property
    def tuned(self) -> str:
        """The file with the last weights that were tuned."""
        return self.weights if self.rescoring is None else self.rescoring.weights

    @property
    def files(self) -> list[str]:
        """All of its files."""
        tables = (self.phrase_table, self.reordering_table)
        return list(dict.fromkeys([*tables, *self.model_files, self.weights, self.tuned]))


@dataclass(frozen=True)
class SystemsFolder:
    """The systems of a folder.

    Attributes:
        folder: its path.
        source: language.
        target: language.
        tokenisation: of text; paths of truecasers and pieces are relative to the folder.
        search: values of the keys `SEARCH`.
        systems: runs by their seeds, of each system.
        compared: names of the systems from which the best one is chosen.
    """

    folder: Path
    source: str
    target: str
    tokenisation: Tokenisation
    search: Mapping[str, int]
    systems: Mapping[str, Mapping[int, SystemFiles]]
    compared: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path | str) -> "SystemsFolder":
        """Read the description in a folder.

        Raises:
            InputError: there is none, or it is damaged.
        """
        folder = Path(folder)
        path = folder / SYSTEMS
        if not path.is_file():
            hint = "give results/help/fr-en, after the demo, or a folder of nlmt export"
            if pairs := sorted(str(one.parent) for one in folder.glob(f"*/{SYSTEMS}")):
                hint = f"give {' or '.join(pairs)}"
            elif (folder / "tm").is_dir():  # of a pair, before this file was made with its report
                hint = f"snakemake --cores all {path}"
            raise InputError(f"no {SYSTEMS} here", path=folder, hint=hint)
        content = read_json(path)
        try:
            systems = {
                name: {int(run): _files(files) for run, files in runs.items()}
                for name, runs in content["systems"].items()
            }
            return cls(
                folder=folder,
                source=content["source"],
                target=content["target"],
                tokenisation=Tokenisation(**content["tokenisation"]),
                search={key: content["search"][key] for key in SEARCH},
                systems=systems,
                compared=tuple(content["compared"]),
            )
        except InputError:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            hint = "another version of nlmt made it: make it again"
            raise InputError(f"not as expected: {error}", path=path, hint=hint) from error

    def content(self) -> dict[str, Any]:
        """The content of the file, as `read` expects it."""
        return {key: value for key, value in asdict(self).items() if key != "folder"}

    def run_of(self, name: str, run: int) -> SystemFiles:
        """The files of a run of a system, which are all there.

        Raises:
            InputError: no such system or run, or the workflow has not made it; says what to do.
        """
        if name not in self.systems:
            hint = nearest(name, self.compared)
            raise InputError(f"unknown system {name!r}", path=self.folder, hint=hint)
        runs = self.systems[name]
        if run not in runs:
            hint = f"there are {', '.join(map(str, runs))}"
            raise InputError(f"{name}: no run {run}", path=self.folder, hint=hint)
        files = runs[run]
        if files.rescoring is not None and files.rescoring.sees_reference:
            what = f"{name} sees the reference: it cannot translate"
            raise InputError(what, path=self.folder)
        missing = self._missing(files)
        if missing is not None:
            what = f"the system {name} is not there: no {missing}"
            hint = f"snakemake --cores all {self.folder}/eval/{name}.json"
            raise InputError(what, path=self.folder, hint=hint)
        return files

    def best(self, run: int) -> str:
        """The best system on the tuning set, by its objective, of those that can translate here.

        Raises:
            InputError: none is, or they were tuned for different objectives.
        """
        found = {}
        for name in self.compared:
            files = self.systems[name].get(run)
            if files is None or self._missing(files) is not None:
                continue
            if files.rescoring is None or not files.rescoring.sees_reference:
                found[name] = files
        if not found:
            runs = sorted({one for name in self.compared for one in self.systems[name]})
            hint = f"run the workflow, or name another run: {', '.join(map(str, runs))}"
            what = f"no system has a run {run} here, of {', '.join(self.compared)}"
            raise InputError(what, path=self.folder, hint=hint)
        if len({files.objective for files in found.values()}) > 1:
            tuned = ", ".join(f"{name} for {files.objective}" for name, files in found.items())
            what = f"tuned for different objectives, so that none is the best: {tuned}"
            raise InputError(what, path=self.folder, hint="name a system (--system)")

        def value(name: str) -> float:
            tuned = read_json(self.folder / found[name].tuned).get(found[name].objective)
            return tuned if isinstance(tuned, int | float) else -math.inf

        return max(found, key=value)

    def _missing(self, files: SystemFiles) -> str | None:
        """The first file of a system that is not there."""
        return next((path for path in files.files if not (self.folder / path).exists()), None)


def _files(content: Mapping[str, Any]) -> SystemFiles:
    """A run of a system, from JSON."""
    rescoring = content["rescoring"]
    if rescoring is not None:
        rescoring = Rescoring(**{**rescoring, "tuples": tuple(rescoring["tuples"])})
    lists = {key: tuple(content[key]) for key in ("language_models", "model_files")}
    return SystemFiles(**{**content, **lists, "rescoring": rescoring})
