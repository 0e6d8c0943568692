"""Cells with the sizes of prepared texts, which show no system and no model."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nlmt.errors import InputError
from nlmt.papers.quantities import Quantity, combined, number_of
from nlmt.papers.results import Measurement
from nlmt.text import read_sizes

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

SIZES = "text/corpus_statistics.tsv"  # of a pair: held-out texts and the default text
Unit = Literal["tokens", "sentences"]
Side = Literal["source", "target"]
SIDES = {"source": slice(1), "target": slice(-1, None), "both": slice(None)}


def size_of_text(
    *texts: str,
    unit: Unit = "tokens",
    side: Literal["source", "target", "both"] = "target",
    of_all: Callable[[Iterable[int]], int] = sum,
) -> Quantity:
    """Tokens or sentences of a text, or of several.

    Args:
        texts: names in the table of sizes of the pair; or one training text, `texts/<name>`.
        unit: `tokens` or `sentences`.
        side: whose tokens to count, where a text has both.
        of_all: combines the numbers of all texts.
    """

    def files(experiment: "Experiment") -> list[str]:
        if {*experiment.parts(), "texts/default"}.issuperset(texts):
            return [SIZES]
        alone = [f"texts/{name}" for name in experiment.texts() if (f"texts/{name}",) == texts]
        return [f"{path}.sizes.tsv" for path in alone]

    def read(paths: Sequence[Path]) -> Measurement:
        sizes = read_sizes(paths[0])
        found = []
        for text in texts:
            sides = [size for (name, _), size in sizes.items() if name == text]  # source first
            if not sides:
                raise InputError(f"no size of {text}", path=paths[0], hint="run again")
            found.append(sum(getattr(size, unit) for size in sides[SIDES[side]]))
        return Measurement(float(of_all(found)))

    return Quantity("", unit, files, read)


def size_of_learnt_text(model: str) -> Quantity:
    """Tokens of the training text of a language model, where it has one of the target side."""

    def files(experiment: "Experiment") -> list[str]:
        known = model in experiment.models.names()
        texts = experiment.models[model].texts if known else []
        return size_of_text(f"texts/{texts[0]}").files(experiment) if len(texts) == 1 else []

    def read(paths: Sequence[Path]) -> Measurement:
        name = paths[0].name.removesuffix(".sizes.tsv")
        return size_of_text(f"texts/{'default' if name == Path(SIZES).name else name}").read(paths)

    return Quantity("", "tokens", files, read)


def size_of_held_out(name: str, unit: Unit = "tokens", side: Side = "target") -> Quantity:
    """Tokens or sentences of an entry of `held_out`, which a system or a model must use."""

    def files(experiment: "Experiment") -> list[str]:
        used = experiment.used_sets(experiment.systems.names(), experiment.models.names())
        return [f"text/{name}.counts.json"] if name in used else []

    key = "kept" if unit == "sentences" else f"{side}_tokens"
    return Quantity("", unit, files, lambda paths: Measurement(number_of(paths[0], key)))


def ratio_to_learnt_text(system: str, model: str) -> Quantity:
    """The texts of all language models of a decoder relative to that of another model."""

    def files(experiment: "Experiment") -> list[str]:
        if system not in experiment.systems.names():
            return []
        names = [*(one.name for one in experiment.systems[system].inside), model]
        found = [size_of_learnt_text(name).files(experiment) for name in names]
        return [path for paths in found for path in paths] if all(found) else []

    def read(paths: Sequence[Path]) -> Measurement:
        *others, own = (size_of_learnt_text("").read([path]).value for path in paths)
        return Measurement(sum(others) / own)

    return Quantity("", "times", files, read)


def ratio_of_sizes(text: Quantity, other: Quantity) -> Quantity:
    """The size of a text relative to that of another one."""
    return combined(
        "", "times", [text, other], lambda two: Measurement(two[0].value / two[1].value)
    )
