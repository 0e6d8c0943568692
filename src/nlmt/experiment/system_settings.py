"""The keys of an entry of `systems`."""

from typing import Annotated, Any, Literal

from nlmt.decoder.search_options import LARGEST
from nlmt.rescoring.settings import LatticeSettings
from nlmt.settings import REQUIRED, Settings, partial, setting
from nlmt.tuning.settings import RerankingSettings, TuningSettings

Run = Annotated[int, setting(REQUIRED, "", ge=1, le=2**32 - 1)]


class DecoderModel(Settings):
    """A language model inside the decoder."""

    name: str = setting(REQUIRED, "Name of the model.")
    scores: Literal["normalised", "unnormalised"] | None = setting(
        None,
        "Log-probabilities of a neural model (the default), or the unnormalised values of its "
        "output units, which are close to these for models trained with nce, and much faster.",
        source="Baltescu and Blunsom 2015, section 4",
    )
    quantise: Literal[8] | None = setting(
        None,
        "Bits per number of a neural model's word vectors in the decoder, in a "
        "quarter of the memory; null: single precision.",
        unit="bits",
    )


TuningOverride: Any = partial(
    TuningSettings, "TuningOverride", "Keys of `tuning` that differ for one system."
)
RerankingOverride: Any = partial(
    RerankingSettings, "RerankingOverride", "Keys of `rescoring` that differ for one system."
)


class SystemSettings(Settings):
    """A system, which decodes (language_models) or rescores (decoded_by, rescored_with)."""

    label: str = setting(REQUIRED, "The system's name in tables.")
    language_models: tuple[str | DecoderModel, ...] | None = setting(
        None, "Models inside the decoder, of a system that decodes.", min_length=1
    )
    units: Literal["phrases", "tuples"] | None = setting(
        None,
        "Units of translation of a system that decodes: phrase pairs (the default), or the "
        "tuples of n-gram-based translation (docs/tuples.md).",
        source="Mariño et al. 2006",
    )
    recombination_context: int | None = setting(
        None,
        "Last target words that hypotheses must share to be recombined, of a system that decodes; "
        "left out: as many as its language models use.",
        unit="words",
        source="Auli et al. 2013, section 3",
        ge=1,
        le=LARGEST,
    )
    weights_of: str | None = setting(
        None,
        "The system with whose tuned weights it decodes, instead of tuning its own. With the same "
        "models, units and context, and where nothing rescores its lists, it shares the "
        "translations of that system.",
    )
    start_from: str | None = setting(
        None,
        "The system from whose tuned weights, of the same seed, tuning starts. Language models "
        "that it lacks share the weight of those it has. Left out: tuning starts from the "
        "untuned weights of moses.ini.",
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
        None, "Its runs, by their seeds; left out: those of the key `runs`.", min_length=1
    )
    tuning: TuningOverride = setting(TuningOverride(), "Keys of `tuning` that differ here.")
    rescoring: RerankingOverride = setting(
        RerankingOverride(), "Keys of `rescoring` that differ here."
    )
    test_sets: tuple[str, ...] | None = setting(
        None, "Sets on which it is tested; left out: those of the key `test_sets`.", min_length=1
    )
    baseline: str | None = setting(
        None, "The system with which it is compared; left out: the baseline of `evaluation`."
    )
    compared_with: tuple[str, ...] = setting(
        (), "Further systems from which its difference is tested."
    )
