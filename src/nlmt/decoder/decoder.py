"""The phrase-based decoder: loads a moses.ini once and translates any number of texts."""

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from typing_extensions import override

from nlmt import __version__
from nlmt.decoder._decoder import BatchOptions, BestTranslation, Model, RiskOptions
from nlmt.decoder.engine import DecoderEngine
from nlmt.decoder.ini_features import (
    LANGUAGE_MODELS,
    feature_specs,
    flat_weights,
    given_weights,
    score_files,
    tuneable_values,
)
from nlmt.decoder.ini_search import decoding_paths, read_search
from nlmt.decoder.minimum_risk import MinimumRisk
from nlmt.decoder.outputs import GraphRequest, LatticeRequest, NbestRequest, open_outputs
from nlmt.decoder.search_options import LARGEST, MARKUP, SearchOptions
from nlmt.io.moses_ini import MosesIni, read_ini
from nlmt.io.weights import Weights
from nlmt.steps import step

log = logging.getLogger(__name__)

# Lines that are read, translated by all threads and returned together.
_BATCH = 500


class Decoder:
    """A Moses-compatible phrase-based decoder.

    Koehn et al. (2003, 2007): stacks with recombination, future costs and a distortion limit, or
    cube pruning (Huang and Chiang 2007). Scores are natural logs, floored at -100 in the tables.

    Attributes:
        tuneable: whether n-best lists have each value of each feature, by label.
    """

    def __init__(
        self,
        ini: Path | str,
        *,
        settings: MosesIni | None = None,
        search: SearchOptions | None = None,
        table_limit: int | None = None,
        threads: int = 1,
    ) -> None:
        """Load tables and language models.

        Args:
            ini: Moses' configuration.
            settings: its content; None: that of the file. With it `ini` is a name in messages.
            search: options of the search; None: those of the configuration.
            table_limit: translations per source phrase of each table; None: the configuration's
                limit (Moses' default is 20); 0: all.
            threads: for loading and translating. The results do not depend on it.

        Raises:
            InputError: a file that is missing or malformed (with its line), an unknown feature,
                section or setting, weights that do not fit.
        """
        path = Path(ini)
        settings = read_ini(path) if settings is None else settings
        said, limit = read_search(settings, path)
        self.search = said if search is None else search
        self.threads = threads
        specs = feature_specs(settings, path, limit if table_limit is None else table_limit)
        self._paths = decoding_paths(settings, path)
        with step("load the model"):
            self._model = Model(specs, threads, str(path))
        for warning in self._model.warnings:
            log.warning(warning)
        self.tuneable = tuneable_values(settings, self._model.features, path)
        self._model.set_printed([value for values in self.tuneable.values() for value in values])
        weights = given_weights(settings, self.tuneable)
        self._model.set_weights(flat_weights(self._model.features, weights, path))
        self._score_files = score_files(settings, path)
        for number, file in enumerate(self._score_files):
            if file is not None:
                self._model.take_scores(number, file.read())

    @property
    def facts(self) -> dict[str, Any]:
        """Facts beside the model that determine results: `engine`, `version`, Moses' `flags`."""
        return {"engine": "nlmt", "version": __version__, "flags": self.search.flags()}

    @property
    def feature_names(self) -> list[tuple[str, int]]:
        """Label and number of values of the features of an n-best line, in its order."""
        return self._model.printed

    def weights(self) -> dict[str, list[float]]:
        """Weights of all features, in the order of the configuration."""
        flat = iter(self._model.weights)
        return {label: list(islice(flat, width)) for _, label, width in self._model.features}

    def set_weights(self, weights: Weights) -> None:
        """Replace the weights of some or all features.

        Raises:
            InputError: a label that the model lacks, or a wrong number of weights.
        """
        self._model.set_weights(flat_weights(self._model.features, {**self.weights(), **weights}))

    def translate(
        self,
        lines: Iterable[str],
        *,
        nbest: NbestRequest | None = None,
        graph: GraphRequest | None = None,
        lattices: LatticeRequest | None = None,
        risk: MinimumRisk | None = None,
        source: str | Path = "input",
        first: int = 0,
        line: int | None = None,
    ) -> Iterator[BestTranslation]:
        """Yield the best translation of each line and write the requested outputs.

        An empty line gives an empty translation, and a line of the n-best list without words whose
        features are all 0. Files appear under their names when all lines are done, including the
        scores that a `NeuralLM` with `cache=` keeps.

        Args:
            lines: tokenised sentences, tokens separated by spaces.
            nbest: the list to write, if any.
            graph: the search graphs to write, if any.
            lattices: the lattices to write, if any.
            risk: how to choose the translation to return; None: the best one. Written outputs do
                not depend on it.
            source: where the lines come from, for messages.
            first: number of the first sentence in lists and graphs, from 0.
            line: number of its line in `source`, from 1, for messages; None: `first` + 1.

        Raises:
            InputError: `|||` inside a sentence, over 4,096 words, or malformed markup; names
                `source` and the line.
        """
        rest = iter(lines)
        line = first + 1 if line is None else line
        total = len(lines) if isinstance(lines, Sized) else 0
        with ExitStack() as stack:
            outputs = open_outputs(nbest, graph, lattices, self.weights(), stack)
            progress = stack.enter_context(step("translate", total))
            while batch := [line.strip(" \t\r\n") for line in islice(rest, _BATCH)]:
                options = self._batch_options(
                    nbest, graph, lattices, risk, first, line, str(source)
                )
                translations = self._model.translate(batch, options, outputs)
                progress.done += len(batch)
                yield from translations
                first += len(batch)
                line += len(batch)
        for number, file in enumerate(self._score_files):
            if file is not None:
                file.write(self._model.kept_scores(number))

    def decode(
        self,
        lines: Iterable[str],
        *,
        nbest: NbestRequest | None = None,
        graph: GraphRequest | None = None,
        lattices: LatticeRequest | None = None,
        risk: MinimumRisk | None = None,
        source: str | Path = "input",
    ) -> list[BestTranslation]:
        """All best translations of `translate` as a list."""
        return list(
            self.translate(
                lines, nbest=nbest, graph=graph, lattices=lattices, risk=risk, source=source
            )
        )

    def _batch_options(
        self,
        nbest: NbestRequest | None,
        graph: GraphRequest | None,
        lattices: LatticeRequest | None,
        risk: MinimumRisk | None,
        first: int,
        line: int,
        source: str,
    ) -> BatchOptions:
        return BatchOptions(
            cube_pruning=self.search.cube_pruning,
            stack=_limit(self.search.stack),
            pop_limit=_limit(self.search.pop_limit),
            beam_threshold=self.search.beam_threshold,
            distortion_limit=self.search.distortion_limit,
            paths=self._paths,
            span_limit=_limit(self.search.max_options_per_span),
            drop_unknown=self.search.drop_unknown,
            markup=MARKUP[self.search.xml_input],
            monotone_at_punctuation=self.search.monotone_at_punctuation,
            recombination_context=self.search.recombination_context,
            threads=self.threads,
            nbest=0 if nbest is None else nbest.size,
            distinct=nbest is not None and nbest.distinct,
            segmentation=nbest is not None and nbest.segmentation,
            alignment=nbest is not None and nbest.alignment,
            labels=nbest is None or nbest.labels,
            keep_alternatives=any(
                request is not None for request in (nbest, graph, lattices, risk)
            ),
            lattice_beam=math.inf if lattices is None else lattices.beam,
            lattice_density=math.inf if lattices is None else lattices.density,
            risk=_risk_options(risk),
            first_sentence=first,
            first_line=line,
            source=source,
        )


def _limit(count: int) -> int:
    return count if count > 0 else LARGEST


def _risk_options(risk: MinimumRisk | None) -> RiskOptions:
    given = MinimumRisk() if risk is None else risk
    return RiskOptions(
        size=0 if risk is None else given.size,
        scale=given.scale,
        thetas=given.all_thetas(),
        density=given.density,
        map_weight=given.map_weight,
    )


class EmbeddedEngine(DecoderEngine):
    """The decoder of this package as an engine."""

    language_models = LANGUAGE_MODELS
    extensions = True
    lattices = True
    binary_tables = True

    @override
    def find(self, path: str | None) -> dict[str, str]:
        return {}

    @override
    def open(
        self, ini: Path, found: Mapping[str, Any], *, search: SearchOptions, threads: int
    ) -> Decoder:
        return Decoder(ini, search=search, threads=threads)


EMBEDDED = EmbeddedEngine()
