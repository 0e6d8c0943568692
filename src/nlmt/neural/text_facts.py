"""Statistics of a neural model on a text, beyond perplexity."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nlmt.lm.conditioned_text import ConditionedText
from nlmt.neural.model import NeuralLM
from nlmt.neural.source.transform import TransformEncoder, cosine_facts
from nlmt.neural.text.files import read_text
from nlmt.neural.text.numbered import NumberedText, Source, Texts


def text_facts(
    model: NeuralLM, text: Path | str, source: Sequence[Path | str] = ()
) -> tuple[dict[str, float], dict[str, Sequence[float | None]]]:
    """Normalisers, share of predicted words and source cosine of a model on a text.

    The text has a sentence a line; `source` is of a model that is conditioned on it: source text
    and, if it needs one, alignment.

    Returns:
        `mean_abs_log_z`, in nats (Devlin et al. 2014); `predicted_share`, of words and sentence
        ends that the output layer predicts: 1 unless it is a short-list (Schwenk 2010, section 2);
        `source_cosine` of a transform of the source (Auli et al. 2013, section 5.4) with its
        standard error over sentences. Then what is known of each sentence: `abs_log_z`, summed over
        its words and its end, and `source_cosine`.

    Raises:
        InputError: a text without a line; a missing or unexpected source.
    """
    if source:
        given = ConditionedText.read(model, text, *source)
        beside = NumberedText.from_words(given.source.ids, given.source.offsets)
        numbered = replace(
            NumberedText.from_words(given.ids, given.offsets),
            source=Source(beside, given.source.position),
        )
    else:
        numbered = read_text(text, model.vocabulary, at_least=1)
    log_z = model.abs_log_z(numbered)
    counts, predicted = numbered.target_counts(model.vocabulary), model.layout.predicted
    facts = {
        "mean_abs_log_z": float(log_z.sum()) / numbered.events,
        "predicted_share": 1.0 if predicted is None else counts[predicted].sum() / counts.sum(),
    }
    of_sentences: dict[str, Sequence[float | None]] = {"abs_log_z": log_z.tolist()}
    if not isinstance(model.encoder, TransformEncoder):
        return facts, of_sentences
    cosines = model.encoder.cosines(Texts([numbered]))
    of_sentences["source_cosine"] = [
        None if math.isnan(cosine) else cosine for cosine in cosines.tolist()
    ]
    return facts | cosine_facts(cosines), of_sentences
