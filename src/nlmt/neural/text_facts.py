"""Statistics of a neural model on a text, beyond perplexity."""

from collections.abc import Sequence
from pathlib import Path

from nlmt.neural.data.text_files import SourceFiles, read_text, read_with_source
from nlmt.neural.data.texts import Texts
from nlmt.neural.data.transform import TransformEncoder
from nlmt.neural.model import NeuralLM


def text_facts(
    model: NeuralLM, text: Path | str, source: Sequence[Path | str] = ()
) -> dict[str, float]:
    """Normalisers, share of predicted words and source cosine of a model on a text.

    Args:
        model: a trained one.
        text: a sentence a line.
        source: of a model that is conditioned on it: source text and, if it needs one, alignment.

    Returns:
        `mean_abs_log_z`, in nats (Devlin et al. 2014); `predicted_share`, of words and sentence
        ends that the output layer predicts: 1 unless it is a short-list (Schwenk 2010, section 2);
        `source_cosine` of a transform of the source (Auli et al. 2013, section 5.4).

    Raises:
        InputError: a text without a line; a missing or unexpected source.
    """
    if model.needs_source:
        numbered = read_with_source(text, SourceFiles(*source), model)
    else:
        numbered = read_text(text, model.vocabulary, at_least=1)
    counts, predicted = numbered.target_counts(model.vocabulary), model.layout.predicted
    facts = {
        "mean_abs_log_z": model.mean_abs_log_z(numbered),
        "predicted_share": 1.0 if predicted is None else counts[predicted].sum() / counts.sum(),
    }
    if isinstance(model.source_encoder, TransformEncoder):
        facts["source_cosine"] = model.source_encoder.cosine(Texts([numbered]))
    return facts
