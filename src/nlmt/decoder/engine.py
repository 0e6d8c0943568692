"""What translates: the embedded decoder or the user's Moses, behind one face."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from nlmt.decoder.decoder import Decoder
from nlmt.decoder.moses import MosesDecoder, find_moses, moses_version
from nlmt.decoder.requests import GraphRequest, LatticeRequest, NbestRequest
from nlmt.decoder.settings import SearchOptions

_SEARCH = ("pop_limit", "stack", "distortion_limit")


class Translation(Protocol):
    """The best translation of a sentence."""

    @property
    def text(self) -> str:
        """The words, with a space between them."""
        ...


class TranslationEngine(Protocol):
    """What both engines answer; those who tune and translate need not know which one they have."""

    @property
    def facts(self) -> dict[str, Any]:
        """What the results depend on beside the model: `engine`, `version`, Moses' `flags`."""
        ...

    def weights(self) -> dict[str, list[float]]:
        """Weights of all features, in the order of the configuration."""
        ...

    def set_weights(self, weights: Mapping[str, Sequence[float]]) -> None:
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

        What is asked for beside stands under its name when all lines are done.
        """
        ...


def open_engine(
    ini: Path | str, settings: Mapping[str, Any], *, threads: int = 1
) -> TranslationEngine:
    """Load a model in the engine that the workflow's configuration names, to search as it says.

    Args:
        ini: Moses' configuration; the limit on translations a source phrase stands there.
        settings: what `check_engine` gives.
        threads: the results do not depend on it.

    Raises:
        InputError: as `Decoder` and `MosesDecoder`.
    """
    search = SearchOptions(cube_pruning=True, **{name: settings[name] for name in _SEARCH})
    if settings["engine"] == "moses":
        binary = find_moses(settings["path"])
        return MosesDecoder(ini, binary, search=search, threads=threads)
    return Decoder(ini, search=search, threads=threads)


def check_engine(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What translations depend on of the part `decoder` of config.yaml; a Moses is looked for.

    Returns:
        the settings of the search and `engine`; of a Moses also the `path` and `version` found.

    Raises:
        InputError: there is no Moses, or what is there is none.
    """
    search = {name: settings[name] for name in ("engine", *_SEARCH)}
    if settings["engine"] != "moses":
        return search
    binary = find_moses(settings["path"])
    return {**search, "path": str(binary), "version": moses_version(binary)}
