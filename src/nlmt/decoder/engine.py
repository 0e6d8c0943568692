"""Translation engines: their protocol, and a registry."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from nlmt.decoder.ini_search import read_search
from nlmt.decoder.outputs import GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.search_options import SearchOptions
from nlmt.io.moses_ini import read_ini
from nlmt.io.weights import Weights
from nlmt.registry import Registry


class Translation(Protocol):
    """The best translation of a sentence."""

    @property
    def text(self) -> str:
        """The words, separated by spaces."""
        ...


class TranslationEngine(Protocol):
    """A model loaded in an engine; tuning and translating depend only on this protocol."""

    @property
    def facts(self) -> dict[str, Any]:
        """Facts beside the model that determine results: `engine`, `version`, Moses' `flags`."""
        ...

    def weights(self) -> dict[str, list[float]]:
        """Weights of all features, in the order of the configuration."""
        ...

    def set_weights(self, weights: Weights) -> None:
        """Replace the weights of some or all features."""
        ...

    def translate(
        self,
        lines: Iterable[str],
        *,
        nbest: NbestRequest | None = None,
        graph: GraphRequest | None = None,
        lattices: LatticeRequest | None = None,
        source: str | Path = "input",
        first: int = 0,
    ) -> Iterator[Translation]:
        """Yield the best translation of each line; `first` is the number of the first sentence.

        The requested files appear under their names when all lines are done.
        """
        ...


class DecoderEngine(Protocol):
    """One engine.

    Attributes:
        language_models: classes of the feature functions of language models that it has.
        extensions: whether it has what this package adds to Moses: models of tuples, and
            recombination-context.
        lattices: whether it writes lattices with word alignments.
        binary_tables: whether it reads the tables of `binarise_tables`.
    """

    language_models: Collection[str]
    extensions: bool
    lattices: bool
    binary_tables: bool

    def find(self, path: str | None) -> dict[str, str]:
        """Facts that determine translations beside model and search, such as a program's `version`.

        Args:
            path: the program that the configuration names, for engines that are programs.

        Raises:
            InputError: the program is missing or not the expected one.
        """
        ...

    def open(
        self, ini: Path, found: Mapping[str, Any], *, search: SearchOptions, threads: int
    ) -> TranslationEngine:
        """Load a model.

        Args:
            ini: Moses' configuration.
            found: what `find` returned; may hold other keys.
            search: options of the search.
            threads: the results do not depend on it.

        Raises:
            InputError: a missing or malformed file, or one that the engine cannot use.
        """
        ...


ENGINES: Registry[DecoderEngine] = Registry(
    "decoder engine",
    {"nlmt": "nlmt.decoder.decoder:EMBEDDED", "moses": "nlmt.decoder.moses:MOSES"},
)


def open_engine(
    ini: Path | str, settings: Mapping[str, Any], *, threads: int = 1
) -> TranslationEngine:
    """Load a model in the configuration's engine, for cube pruning.

    The moses.ini also sets distortion limit and table limit; `settings` are `translation_settings`
    of the configuration. The results do not depend on `threads`.

    Raises:
        InputError: a missing or malformed file, or one that the engine cannot use.
    """
    search, _ = read_search(read_ini(ini), ini)
    search = replace(
        search, cube_pruning=True, pop_limit=settings["pop_limit"], stack=settings["stack"]
    )
    engine = ENGINES.get(settings["engine"])
    return engine.open(Path(ini), settings, search=search, threads=threads)
