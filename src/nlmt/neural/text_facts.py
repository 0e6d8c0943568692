"""Statistics of a neural model on a text, beyond perplexity."""

import math
from collections.abc import Sequence
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural.model import NeuralLM
from nlmt.neural.source.transform import TransformEncoder, cosine_facts
from nlmt.neural.text.files import NO_SOURCE, SourceFiles, check_alignment, read_text, with_source
from nlmt.neural.text.numbered import NumberedText, Texts, encode


def text_facts(
    model: NeuralLM, text: Path | str, source: Sequence[Path | str] = ()
) -> tuple[dict[str, float], dict[str, list[float | None]]]:
    """Normalisers, share of predicted words and source cosine of a model on a text.

    The text has a sentence a line; `source` is of a model that is conditioned on it: source text
    and, if it needs one, alignment.

    Returns:
        `mean_abs_log_z`, in nats (Devlin et al. 2014); `predicted_share`, of words and sentence
        ends that the output layer predicts: 1 unless it is a short-list (Schwenk 2010, section 2);
        `source_cosine` of a transform of the source (Auli et al. 2013, section 5.4) with its
        standard error over sentences. Then what is known of each sentence: `source_cosine`.

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
    if not isinstance(model.encoder, TransformEncoder):
        return facts, {}
    cosines = model.encoder.cosines(Texts([numbered]))
    of_sentences = [None if math.isnan(cosine) else cosine for cosine in cosines.tolist()]
    return facts | cosine_facts(cosines), {"source_cosine": of_sentences}


def read_with_source(text: Path | str, files: SourceFiles, model: NeuralLM) -> NumberedText:
    """A text with its source side, for a model that is conditioned on it.

    Raises:
        InputError: the model is not conditioned on it, or a text without a line; or as in
            `with_source` and `check_alignment`.
    """
    if model.source_vocabulary is None:
        raise InputError(NO_SOURCE, hint="leave source and alignment out")
    check_alignment(model.config, [files])
    numbered = encode(read_lines(text), model.vocabulary)
    if not numbered.sentences:
        raise InputError("a text without a line", path=text, hint="give a longer text")
    return with_source(numbered, files, model.source_vocabulary, model.linked_words)
