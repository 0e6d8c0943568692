"""The keys of an entry of `systems`."""

from typing import Annotated, Any, Literal

from nlmt.decoder.search_options import LARGEST
from nlmt.rescoring.settings import LatticeSettings
from nlmt.settings import REQUIRED, Distinct, Settings, partial, setting
from nlmt.tuning.settings import RerankingSettings, TuningSettings

Run = Annotated[int, setting(REQUIRED, "", ge=1, le=2**32 - 1)]


class DecoderModel(Settings):
    """A language model inside the decoder."""

    name: str = setting(REQUIRED, "Name of the model.")
    scores: Literal["normalised", "unnormalised"] | None = setting(
        None,
        "Scores of a neural model: log-probabilities (the default), or the unnormalised values of "
        "its output units, which are close to them for models trained by nce, and much faster.",
        source="Baltescu and Blunsom 2015, section 4",
    )
    quantise: Literal[8] | None = setting(
        None,
        "Bits per number of a neural model's word vectors in the decoder: 8 take a quarter of the "
        "memory; null: single precision.",
        unit="bits",
    )
    products: Literal["kept", "computed"] | None = setting(
        None,
        "The products of words with a neural model's context matrices: kept for the words to come "
        "(the default), or computed whenever they are needed, in more time and less memory. No "
        "effect on models with projection: diagonal, or a concatenation without hidden layers.",
        source="Baltescu and Blunsom 2015, section 6 (computed); Devlin et al. 2014 (kept)",
    )


TuningOverride: Any = partial(
    TuningSettings, "TuningOverride", "Keys of `tuning` that differ for one system."
)
RerankingOverride: Any = partial(
    RerankingSettings, "RerankingOverride", "Keys of `rescoring` that differ for one system."
)


class SystemSettings(Settings):
    """A system, which decodes (language_models), has given lists, or rescores (decoded_by)."""

    label: str = setting(REQUIRED, "The system's name in tables.")
    language_models: tuple[str | DecoderModel, ...] | None = setting(
        None, "Language models inside the decoder, of a system that decodes.", min_length=1
    )
    lists: str | None = setting(
        None,
        "N-best lists of another program in place of a decoder, of Moses' or Marian's format and "
        "in the words of the prepared texts (docs/nbest.md): a path in which {split} is the name "
        "of a set; {src}, {tgt}, {task} and {run} may be in it, too.",
        examples=["marian/{split}.{src}-{tgt}.nbest.gz"],
    )
    units: Literal["phrases", "tuples"] | None = setting(
        None,
        "Units of translation of a system that decodes: phrase pairs (the default), or the "
        "tuples of n-gram-based translation (docs/tuples.md).",
        source="Mariño et al. 2006",
    )
    recombination_context: int | None = setting(
        None,
        "Least number of last target words that hypotheses must share to be recombined, of a "
        "system that decodes; they always share as many as its language models use.",
        unit="words",
        source="Auli et al. 2013, section 3",
        ge=1,
        le=LARGEST,
    )
    weights_of: str | None = setting(
        None,
        "Another system whose tuned weights it decodes with, instead of tuning its own. With the "
        "same models, units and context, and if nothing rescores its lists, it shares that "
        "system's translations.",
    )
    start_from: str | None = setting(
        None,
        "Another system from whose tuned weights, of the same seed, tuning starts; language models "
        "that the other system lacks share the weight of those it has. Left out: tuning starts "
        "from the untuned weights of the moses.ini.",
    )
    decoded_by: str | None = setting(
        None, "The system whose n-best lists or lattices are rescored."
    )
    rescored_with: tuple[str, ...] | None = setting(
        None, "Language models whose scores are added to those lists or lattices.", min_length=1
    )
    lattice: LatticeSettings | None = setting(
        None, "Rescoring of lattices instead of n-best lists (docs/lattices.md)."
    )
    runs: tuple[Run, ...] | None = setting(
        None, "Seeds of its runs; left out: those of the top-level key `runs`.", min_length=1
    )
    tuning: TuningOverride = setting(
        TuningOverride(),
        "Keys of `tuning` that differ here; of `options`, only the options that differ.",
    )
    rescoring: RerankingOverride = setting(
        RerankingOverride(),
        "Keys of `rescoring` that differ here; of `options`, only the options that differ.",
    )
    test_sets: Distinct[tuple[str, ...] | None] = setting(
        None,
        "Sets on which it is tested; left out: those of the top-level key `test_sets`.",
        min_length=1,
    )
    baseline: str | None = setting(
        None, "The system with which it is compared; left out: the baseline of `evaluation`."
    )
    compared_with: Distinct[tuple[str, ...]] = setting(
        (), "Further systems with which it is compared."
    )
