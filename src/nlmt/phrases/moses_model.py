"""A phrase-based model as Moses' configuration."""

from pathlib import Path

from nlmt.io.moses_ini import MosesIni, make_features


def moses_model(
    phrase_table: Path,
    reordering_table: Path,
    language_model: Path,
    *,
    order: int,
    distortion_limit: int = 6,
    table_limit: int = 20,
) -> MosesIni:
    """The configuration of a model with Moses' features and untuned weights.

    Paths go into the file as they are given: Moses, like the decoder here, takes relative ones
    from where it runs, which for a workflow is the project's folder.

    Args:
        phrase_table: four scores a phrase pair.
        reordering_table: six scores a phrase pair, `wbe-msd-bidirectional-fe`.
        language_model: a KenLM file of the target language.
        order: of the language model.
        distortion_limit: largest jump on the source side, in words.
        table_limit: how many translations of a source phrase take part.
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
        f"KENLM name=LM0 factor=0 path={language_model} order={order}",
    ]
    weights = {
        "UnknownWordPenalty0": [1.0],
        "WordPenalty0": [-1.0],
        "PhrasePenalty0": [0.2],
        "TranslationModel0": [0.2] * 4,
        "LexicalReordering0": [0.3] * 6,
        "Distortion0": [0.3],
        "LM0": [0.5],
    }
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(distortion_limit)],
    }
    return MosesIni(sections, make_features(features), weights)
