"""Translation of raw text by a system of the workflow, with all that the system is."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from nlmt.chunks import numbered_chunks
from nlmt.decoder import Decoder, LatticeRequest, NbestRequest
from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.moses_ini import Feature, MosesIni, make_features
from nlmt.io.nbest import read_nbest
from nlmt.io.temporary import temporary_folder
from nlmt.io.weights import read_weights
from nlmt.kinds import load_language_model
from nlmt.lm.protocol import LanguageModel
from nlmt.phrases import moses_model
from nlmt.rescoring import TupleModel, open_rescorer, rescore
from nlmt.rescoring.selection import model_scores
from nlmt.steps import hidden_steps
from nlmt.text import Tokenisation, join_pieces, words_with
from nlmt.translation.finish import Finisher
from nlmt.translation.folder import RECASER, SYSTEMS, Rescoring, SystemFiles, SystemsFolder
from nlmt.translation.recase import Recaser

Unknown = Literal["keep", "drop", "mark"]

BATCH = 500  # lines that are translated together


@dataclass(frozen=True)
class Translation:
    """A translation of a line.

    Attributes:
        text: detokenised, with case.
        score: of the system, a weighted sum of its features.
        source: tokens of the line, as the system sees them.
        target: tokens of the translation, as the system gives them.
        alignment: of these tokens, `0-0 1-2`; empty where the system rescores lattices.
        unknown: tokens of the source that the system has no translation of.
    """

    text: str
    score: float
    source: str
    target: str
    alignment: str
    unknown: tuple[str, ...]


class Translator:
    """One run of a system, loaded once for any number of texts."""

    def __init__(
        self,
        systems: SystemsFolder,
        files: SystemFiles,
        *,
        threads: int = 1,
        unknown: Unknown = "keep",
    ) -> None:
        """Load a system; `load` finds it by its name.

        The translations do not depend on `threads`. Words without a translation (`unknown`) are
        copied, left out, or copied in brackets.
        """
        folder = systems.folder
        text = systems.tokenisation
        truecasers = {name: str(folder / path) for name, path in text.truecasers.items()}
        pieces = {name: str(folder / path) for name, path in text.pieces.items()}
        self._tokenise = replace(text, truecasers=truecasers, pieces=pieces).of(systems.source)
        self._in_pieces = systems.target in pieces  # and the source, too
        self._cased = Tokenisation(text.tokeniser, text.segmenter, "keep").of(systems.source)
        recaser = Recaser(folder / RECASER, threads=threads) if text.casing == "lower" else None
        self._finish = Finisher(systems.target, text.casing, recaser)
        self._unknown = unknown
        settings = moses_ini(systems, files, folder.absolute())
        self._decoder = Decoder(folder / SYSTEMS, settings=settings, threads=threads)
        self._rescorer: _Lists | _Lattices | None = None
        if files.rescoring is not None:
            lists = files.rescoring.density is None
            self._rescorer = (_Lists if lists else _Lattices)(folder, files.rescoring, threads)

    @classmethod
    def load(
        cls,
        folder: Path | str,
        system: str | None = None,
        *,
        run: int = 1,
        threads: int = 1,
        unknown: Unknown = "keep",
    ) -> "Translator":
        """Load a system of a language pair, or one that was exported.

        The folder is such as results/help/fr-en; without a name of a system it is the best one on
        the tuning set. The rest is as for `Translator`.

        Raises:
            InputError: no such folder, system or run, or one that has not been made.
        """
        systems = SystemsFolder.read(folder)
        files = systems.run_of(systems.best(run) if system is None else system, run)
        return cls(systems, files, threads=threads, unknown=unknown)

    def translate(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the translation of each line of raw text; of one without words, an empty one."""
        return (best.text for best, *_ in self.translations(lines))

    def translations(
        self,
        lines: Iterable[str],
        n_best: int = 1,
        *,
        batch: int = BATCH,
        source: Path | str = "input",
    ) -> Iterator[list[Translation]]:
        """Yield up to `n_best` translations of each line, the best one first.

        They do not depend on `batch`, the number of lines that are read and translated together.
        `source` is the lines' place in messages.

        Raises:
            InputError: a line that is too long, or any error of `lines`.
        """
        for first, some in numbered_chunks(lines, batch, 1):
            with hidden_steps():
                found = self._translate(some, n_best, first, str(source))
            yield from found

    def _translate(
        self, lines: Sequence[str], n_best: int, first: int, source: str
    ) -> list[list[Translation]]:
        tokens = [self._tokenise(line) for line in lines]
        with temporary_folder() as place:
            chosen = self._choose(tokens, n_best, place, first, source)
        cased = [self._cased(line) for line in lines]
        flat = [
            (source, self._in_words(one))
            for source, some in zip(cased, chosen, strict=True)
            for one in some
        ]
        texts = self._finish(
            [source for source, _ in flat],
            [_without(one) if self._unknown == "drop" else one.target for _, one in flat],
            [one.unknown for _, one in flat] if self._unknown == "mark" else None,
        )
        written = iter(texts)
        return [[replace(one, text=next(written)) for one in several] for several in chosen]

    def _in_words(self, one: Translation) -> Translation:
        """A translation whose tokens are words; those with an unknown piece are unknown."""
        if not self._in_pieces:
            return one
        return replace(
            one, target=join_pieces(one.target), unknown=words_with(one.target, one.unknown)
        )

    def _choose(
        self, tokens: Sequence[str], n_best: int, folder: Path, line: int, source: str
    ) -> list[list[Translation]]:
        """Translations of tokenised lines, without their text."""
        rescorer, nbest, lattices = self._rescorer, None, None
        if isinstance(rescorer, _Lattices):
            lattices = LatticeRequest(folder / "lattices", density=rescorer.density)
        elif rescorer is not None or n_best > 1:
            size = n_best if rescorer is None else rescorer.size
            nbest = NbestRequest(folder / "list", size, distinct=True, alignment=True)
        best = list(
            self._decoder.translate(
                tokens, nbest=nbest, lattices=lattices, source=source, line=line
            )
        )
        found = [
            Translation("", one.score, line, one.text, one.alignment, tuple(one.unknown))
            for line, one in zip(tokens, best, strict=True)
        ]
        if isinstance(rescorer, _Lattices):
            paths = rescorer.best(folder / "lattices", n_best)
            return [
                [replace(one, target=text, score=score, alignment="") for text, score in several]
                for one, several in zip(found, paths, strict=True)
            ]
        if nbest is None:
            return [[one] for one in found]
        if rescorer is None:
            return _from_list(nbest.path, None, found, n_best)
        write_lines(folder / "source", tokens)
        rescore(nbest.path, rescorer.models, folder / "rescored", source=folder / "source")
        return _from_list(folder / "rescored", rescorer.weights, found, n_best)


class _Lists:
    """The models and weights of a system that rescores lists."""

    def __init__(self, folder: Path, settings: Rescoring, threads: int) -> None:
        self.size = settings.size
        self.weights = read_weights(folder / settings.weights)
        self.models: dict[str, LanguageModel | TupleModel] = {}
        for label, path in settings.models.items():
            model = load_language_model(folder / path, threads=threads)
            self.models[label] = TupleModel(model) if label in settings.tuples else model


class _Lattices:
    """The models and weights of a system that rescores lattices."""

    def __init__(self, folder: Path, settings: Rescoring, threads: int) -> None:
        assert settings.density is not None
        self.density = settings.density
        self._rescorer = open_rescorer(
            {label: folder / path for label, path in settings.models.items()},
            read_weights(folder / settings.weights),
            states=settings.states,
            threads=threads,
        )

    def best(self, lattices: Path, count: int) -> list[list[tuple[str, float]]]:
        """Words and scores of the best different translations of each lattice."""
        found = []
        for lattice in self._rescorer.rescore(LatticeFile(lattices)):
            one = count == 1
            paths = [lattice.best_path()] if one else lattice.nbest(count, distinct=True)
            found.append([(lattice.text(path), path.score) for path in paths])
        return found


def moses_ini(systems: SystemsFolder, files: SystemFiles, folder: Path) -> MosesIni:
    """The decoder of a system, with its tuned weights and search, and paths below `folder`."""
    search = systems.search

    def below(feature: Feature) -> Feature:
        arguments = dict(feature.arguments)
        if "path" in arguments:
            arguments["path"] = str(folder / arguments["path"])
        return replace(feature, arguments=arguments)

    language_models = make_features(files.language_models)
    for feature in language_models:
        if "path" not in feature.arguments:
            what = f"{feature.label} has no path="
            raise InputError(what, path=systems.folder / SYSTEMS, hint="make it again")
    model = moses_model(
        Path(files.phrase_table),
        Path(files.reordering_table),
        language_models,
        distortion_limit=search["distortion_limit"],
        table_limit=search["table_limit"],
        recombination_context=files.recombination_context,
    ).with_weights(read_weights(systems.folder / files.weights))
    of_search = {
        "search-algorithm": ["1"],
        "cube-pruning-pop-limit": [str(search["pop_limit"])],
        "stack": [str(search["stack"])],
    }
    return replace(
        model,
        sections={**model.sections, **of_search},
        features=[below(feature) for feature in model.features],
    )


def _without(one: Translation) -> str:
    """The tokens of a translation but for unknown words."""
    return " ".join(word for word in one.target.split() if word not in one.unknown)


def _from_list(
    nbest: Path,
    weights: dict[str, list[float]] | None,
    found: Sequence[Translation],
    n_best: int,
) -> list[list[Translation]]:
    """The best translations of each sentence in a list; of equal ones the first come first."""
    block = read_nbest(nbest, keep_alignments=True)
    totals = model_scores(block, weights)
    chosen: list[list[Translation]] = [[] for _ in found]
    for begin, end in pairwise(block.sentence_starts().tolist()):
        order = np.argsort(-totals[begin:end], kind="stable")[:n_best] + begin
        sentence = int(block.sentence[begin])
        chosen[sentence] = [
            replace(
                found[sentence],
                target=block.text(row),
                score=float(totals[row]),
                alignment=block.alignment(row),
            )
            for row in order.tolist()
        ]
    return chosen
