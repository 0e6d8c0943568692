"""The configuration of a neural language model.

It is one flat mapping, as it stands under `language_models` in `config.yaml` or in the file of
`nlmt lm train --config`. Its keys are those of `Architecture` and `Training`.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Annotated, Any, Literal, Self

from typing_extensions import override

from nlmt.classes.methods import METHODS
from nlmt.errors import InputError
from nlmt.lm.kinds import ModelSettings
from nlmt.neural.parts import NETWORKS, OBJECTIVES, OUTPUTS
from nlmt.neural.settings.architecture import SOURCES, Architecture
from nlmt.neural.settings.rules import (
    AULI,
    BALTESCU,
    LUONG,
    OnlyWith,
    broken_rule,
    refuse_without_effect,
)
from nlmt.neural.settings.training import Training
from nlmt.settings import REQUIRED, NameIn, setting
from nlmt.settings_check import read_settings

# Keys for which a search may have alternatives: those on which texts and parameters do not depend.
SEARCHED = (
    *("alpha", "noise", "dropout", "optimiser", "initial_range", "learning_rate", "schedule"),
    *("halving_start", "initial_square", "weight_decay", "clip", "minibatch", "epochs", "patience"),
)


# Fields come in the reverse order of the bases: Architecture's first.
class NeuralConfig(Training, Architecture):
    """Architecture and training of one model: all keys of `nlmt lm train`."""

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> "NeuralConfig":
        """Read a flat mapping; keys that are left out have their defaults.

        Raises:
            InputError: an unknown key, a value that is not allowed, or contradictory settings.
        """
        if settings.get("kind", "neural") != "neural":
            raise InputError(f"kind: {settings['kind']!r} is not neural", hint="kind: neural")
        given = {key: value for key, value in settings.items() if key != "kind"}
        config = read_settings(NeuralConfig, given)
        config.check()
        return config

    def to_dict(self) -> dict[str, Any]:
        """The flat mapping that `from_dict` reads, ready for JSON: all keys that have an effect."""
        plain = self.model_dump(mode="json", include=set(NeuralConfig.model_fields))
        return {key: value for key, value in plain.items() if broken_rule(key, self) is None}

    def parts(self) -> dict[str, Any]:
        """The part of `to_dict` that describes the architecture."""
        return {k: v for k, v in self.to_dict().items() if k in Architecture.model_fields}

    def combinations(self) -> dict[str, dict[str, Any]]:
        """The values of `search` in each combination, by name: `epochs 4, dropout 0.2`."""
        found = (
            dict(zip(self.search, values, strict=True)) for values in product(*self.search.values())
        )
        return {", ".join(f"{key} {value}" for key, value in one.items()): one for one in found}

    def alternatives(self) -> dict[str, Self]:
        """The configurations that `search` tries, by the names of `combinations`.

        Raises:
            InputError: a key that cannot be searched, or a value or combination that is not
                allowed.
        """
        for key, values in self.search.items():
            if key not in SEARCHED or not values:
                what = f"search: no values for {key!r}" if key in SEARCHED else f"search.{key}"
                raise InputError(what, hint=f"lists of values of {', '.join(SEARCHED)}")
        found = {}
        for name, chosen in self.combinations().items():
            one = self.model_copy(update={**chosen, "search": {}})
            plain = one.to_dict()
            for key in chosen.keys() - plain.keys():
                hint = f"leave it out, or set {broken_rule(key, one)}"
                raise InputError(f"search.{key} has no effect", hint=hint)
            checked = NeuralConfig.from_dict(plain)
            update = {key: getattr(checked, key) for key in chosen}
            found[name] = one.model_copy(update=update)
        return found

    def like(self, other: "NeuralConfig") -> str | None:
        """The name of the alternative with the same values of the keys of `search`, if any."""
        for name, one in self.alternatives().items():
            if all(getattr(one, key) == getattr(other, key) for key in self.search):
                return name
        return None

    def check(self) -> None:
        """Refuse keys without effect, and settings that contradict each other.

        Raises:
            InputError: says which keys, and what to do.
        """
        refuse_without_effect(self)
        if self.engine == "kernel" and self.needs_torch:
            raise InputError(
                "engine: kernel trains on the CPU and in single precision",
                hint="engine: torch, or leave device and precision out",
            )
        layout = OUTPUTS.get(self.output)
        if not OBJECTIVES.get(self.objective).suits(layout):
            what = f"objective: {self.objective} is not for output: {self.output}"
            suiting = [name for name, one in OBJECTIVES.items() if one.suits(layout)]
            raise InputError(what, hint=f"objective: {' or '.join(suiting)}")
        if self.needs_alignment and not self.source_places:
            what = f"source_side: {self.source_side} leaves no word in the window"
            raise InputError(what, hint="source_window: 1 or more")
        network = NETWORKS.get(self.network)
        if self.engine == "kernel" and not network.in_kernel:
            what = f"engine: kernel is not for network: {self.network}"
            raise InputError(what, hint="engine: auto or torch")
        if self.source == "window" and network.reads_sentences:
            suiting = [name for name, one in NETWORKS.items() if not one.reads_sentences]
            what = f"source: window is for network: {' or '.join(suiting)}, not for {self.network}"
            hint = f"leave source out, or set source: {' or '.join(SOURCES[2:])}"
            raise InputError(what, hint=hint)
        network.check(self)
        if self.search:
            self.alternatives()


class NeuralSettings(NeuralConfig, ModelSettings):
    """A neural language model, put together from parts; most keys are those of `nlmt lm train`."""

    kind: Literal["neural"] = setting(REQUIRED, "The kind of model.")
    classes: Annotated[str, NameIn(METHODS)] = setting(
        "brown",
        "Method for its word classes: brown, Brown clustering; speed-regularised, the same with a "
        "term for the model's speed; exchange, moves of words alone; frequency, bins of equal "
        "frequency; square-root, bins of equal sums of the counts' square roots; brown-tree, "
        "Brown's tree of all words, for tree: brown.",
        source=f"{BALTESCU}, section 4 and table 7; {AULI}, section 4.1",
    )
    class_count: int | None = setting(
        None,
        "Number of its word classes; null: the key `count` of `classes`.",
        ge=2,
        unit="classes",
        source=f"{BALTESCU}, section 2.1",
    )
    source_embeddings: Annotated[str | None, OnlyWith("source", ("averaged", "concatenated"))] = (
        setting(None, "Name of a neural model with units: source, whose embeddings are used.")
    )
    source_of: Annotated[Literal["source", "reference"], OnlyWith("source", ("lsa",))] = setting(
        "source",
        "Text of the vector: the source sentence or, as an oracle that shows the gain of an ideal "
        "vector, the reference translation. An oracle rescores lattices only.",
        source=f"{AULI}, section 5.3",
    )
    start_from: str | None = setting(
        None,
        "Name of a model with the same parts: training starts from its parameters, words and "
        "classes.",
        source=f"{LUONG}, section 3.5",
    )
    bitext: str | None = setting(
        None,
        "Corpus whose bitext a model learns from in place of its texts; its parts train, dev and "
        "test must be entries of `held_out`. null: the corpus of the task.",
        source=f"{LUONG}, section 3.5",
    )
    watch_test: bool = setting(
        False,
        "Whether the learning curve (log.tsv) also has the perplexity of the test text at each "
        "evaluation; it influences nothing.",
        source=f"{LUONG}, figure 1",
    )
    processes: int = setting(
        1,
        "Number of torch processes that train the model together; each takes a GPU if there are "
        "any.",
        ge=1,
        le=1024,
    )

    @override
    def tried(self) -> dict[str, dict[str, Any]]:
        found = self.combinations() if self.search else {}
        if self.source == "transform":
            for rate in self.transform_rates:
                found[f"transform_rate {rate:g}"] = {"transform_rate": rate}
        return found

    @override
    def completed(self, others: Callable[[str], ModelSettings]) -> Self:
        """Fill in parts that were left out from the model that `start_from` names."""
        if self.start_from is None:
            return self
        other = others(self.start_from)
        if not isinstance(other, NeuralSettings):
            what = f"start_from: {self.start_from} is not a neural model"
            raise InputError(what, hint="name one with kind: neural")
        parts = {key: getattr(other, key) for key in Architecture.model_fields}
        for key, value in parts.items():
            if key in self.model_fields_set and getattr(self, key) != value:
                what = f"{key}: {getattr(self, key)!r}, but {self.start_from} has {value!r}"
                raise InputError(what, hint=f"leave {key} out")
        given = {key: value for key, value in parts.items() if key in other.model_fields_set}
        return self.model_copy(update=given)
