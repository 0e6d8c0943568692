"""Moses' configuration of a phrase-based model."""

from collections.abc import Sequence
from pathlib import Path

from nlmt.io.moses_ini import Feature, MosesIni, make_features

# The untuned weight of all language models together.
LM_WEIGHT = 0.5


def moses_model(
    phrase_table: Path,
    reordering_table: Path,
    language_models: Sequence[Feature],
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
        language_models: features with labels of their own, as `Feature("KENLM", "LM0", {"path":
            "lm/kn5/model.binary", "order": "5"})`; they begin with equal weights that sum to 0.5.
        distortion_limit: largest jump on the source side, in words.
        table_limit: largest number of translations per source phrase.
        recombination_context: last target words that hypotheses must share to be recombined, if
            more than the language models use; above 0 only for the decoder of this package.
    """
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
    ]
    weights = {
        "UnknownWordPenalty0": [1.0],
        "WordPenalty0": [-1.0],
        "PhrasePenalty0": [0.2],
        "TranslationModel0": [0.2] * 4,
        "LexicalReordering0": [0.3] * 6,
        "Distortion0": [0.3],
        **{model.label: [LM_WEIGHT / len(language_models)] for model in language_models},
    }
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(distortion_limit)],
    }
    if recombination_context:
        sections["recombination-context"] = [str(recombination_context)]
    return MosesIni(sections, (*make_features(features), *language_models), weights)
