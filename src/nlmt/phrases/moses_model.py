"""Moses' configuration of a phrase-based model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from nlmt.io.moses_ini import MosesIni, make_features

# The untuned weight of all language models together.
LM_WEIGHT = 0.5
TUPLES = "tuples"


class LanguageModelFeature(Protocol):
    """A language model as a feature."""

    @property
    def prefix(self) -> str:
        """Beginning of its label, before the number."""
        ...

    def line(self, label: str) -> str:
        """The model's line of the section `[feature]`."""
        ...


@dataclass(frozen=True)
class KenlmFeature:
    """A KenLM file of the target language, as a feature.

    Attributes:
        path: ARPA or binary.
        order: length of its n-grams.
        units: `words`, or `tuples`, which Moses itself does not support.
    """

    path: Path
    order: int
    units: str = "words"

    @property
    def prefix(self) -> str:
        """`LM`; `TM` for tuples."""
        return "TM" if self.units == TUPLES else "LM"

    def line(self, label: str) -> str:
        """The model's line of the section `[feature]`."""
        line = f"KENLM name={label} factor=0 path={self.path} order={self.order}"
        return f"{line} units={self.units}" if self.units == TUPLES else line


@dataclass(frozen=True)
class NeuralFeature:
    """The folder of a trained neural model, as a feature, which Moses itself does not support.

    Attributes:
        path: the folder.
        scores: `normalised`, log-probabilities; or `unnormalised`, the activations of the output
            units, which are close to them for models trained with NCE and much faster.
        quantise: bits per number in the vectors of words, 8; None: single precision.
        units: `words` or `tuples`.
    """

    path: Path
    scores: str = "normalised"
    quantise: int | None = None
    units: str = "words"

    @property
    def prefix(self) -> str:
        """`NLM`; `NTM` for tuples."""
        return "NTM" if self.units == TUPLES else "NLM"

    def line(self, label: str) -> str:
        """The model's line of the section `[feature]`."""
        quantise = "" if self.quantise is None else f" quantise={self.quantise}"
        units = f" units={self.units}" if self.units == TUPLES else ""
        return f"NeuralLM name={label} path={self.path} scores={self.scores}{quantise}{units}"


@dataclass(frozen=True)
class ClassFeature:
    """The folder of a class n-gram model, as a feature, which Moses itself does not support.

    Attributes:
        path: the folder.
    """

    path: Path

    @property
    def prefix(self) -> str:
        """Prefix of labels, which is that of n-gram models of words."""
        return "LM"

    def line(self, label: str) -> str:
        """The model's line of the section `[feature]`."""
        return f"ClassLM name={label} path={self.path}"


# by the class of the feature function
_FEATURES: Mapping[str, type[KenlmFeature | ClassFeature | NeuralFeature]] = {
    "KENLM": KenlmFeature,
    "ClassLM": ClassFeature,
    "NeuralLM": NeuralFeature,
}


def language_model_feature(settings: Mapping[str, Any]) -> LanguageModelFeature:
    """The feature for a result of `nlmt.lm.ModelKind.decoder_feature`."""
    values = {key: value for key, value in settings.items() if key != "feature"}
    return _FEATURES[settings["feature"]](**values | {"path": Path(values["path"])})


def moses_model(
    phrase_table: Path,
    reordering_table: Path,
    language_models: Sequence[LanguageModelFeature],
    *,
    distortion_limit: int = 6,
    table_limit: int = 20,
    recombination_context: int = 0,
) -> MosesIni:
    """The configuration of a model with Moses' features and untuned weights.

    Paths are written as given: Moses, like the decoder of this package, resolves relative ones
    from its working directory, which in the workflow is the folder of the project.

    Args:
        phrase_table: four scores a phrase pair.
        reordering_table: six scores a phrase pair, `wbe-msd-bidirectional-fe`.
        language_models: any number of each kind, as
            `[KenlmFeature(Path("lm/kn5/model.binary"), 5), NeuralFeature(Path("lm/nce"))]`. N-gram
            models, of words or classes, are labelled LM0, LM1, ..., neural ones NLM0, NLM1, ...,
            models of tuples TM0 and NTM0; they begin with equal weights that sum to 0.5.
        distortion_limit: largest jump on the source side, in words.
        table_limit: largest number of translations per source phrase.
        recombination_context: last target words that hypotheses must share to be recombined, if
            more than the language models use; above 0 only for the decoder of this package.
    """
    labels = _labels(language_models)
    features = [
        "UnknownWordPenalty",
        "WordPenalty",
        "PhrasePenalty",
        f"PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={phrase_table}"
        f" input-factor=0 output-factor=0 table-limit={table_limit}",
        "LexicalReordering name=LexicalReordering0 num-features=6"
        " type=wbe-msd-bidirectional-fe-allff input-factor=0 output-factor=0"
        f" path={reordering_table}",
        "Distortion",
        *(model.line(label) for label, model in zip(labels, language_models, strict=True)),
    ]
    weights = {
        "UnknownWordPenalty0": [1.0],
        "WordPenalty0": [-1.0],
        "PhrasePenalty0": [0.2],
        "TranslationModel0": [0.2] * 4,
        "LexicalReordering0": [0.3] * 6,
        "Distortion0": [0.3],
        **{label: [LM_WEIGHT / len(labels)] for label in labels},
    }
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(distortion_limit)],
    }
    if recombination_context:
        sections["recombination-context"] = [str(recombination_context)]
    return MosesIni(sections, make_features(features), weights)


def _labels(models: Sequence[LanguageModelFeature]) -> list[str]:
    """LM0, NLM0, TM0, LM1, ...: numbered by kind, in the order of the models."""
    kinds = [model.prefix for model in models]
    return [f"{kind}{kinds[:place].count(kind)}" for place, kind in enumerate(kinds)]
