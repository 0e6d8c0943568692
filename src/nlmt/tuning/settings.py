"""The sections `tuning` and `rescoring` of config.yaml, as far as they concern weights."""

from collections.abc import Mapping
from typing import Annotated, Any

from nlmt.settings import NameIn, OptionsByName, Settings, setting
from nlmt.tuning.objective import OBJECTIVES
from nlmt.tuning.tuner import AnyTuner, ListTuner, Search
from nlmt.tuning.tuners import TUNERS, make_tuner

Options = Annotated[Mapping[str, Mapping[str, Any]], OptionsByName(TUNERS, make_tuner)]
_OPTIONS = "Options of each tuner, by its name (docs/tuning.md)."


class TunerSettings(Settings):
    """Keys for every tuner, wherever it is used."""

    method: Annotated[str, NameIn(TUNERS)] = setting("mert", "Method of tuning (docs/tuning.md).")
    objective: Annotated[str, NameIn(OBJECTIVES)] = setting(
        "bleu", "Objective of tuning; ter-bleu is (TER - BLEU) / 2, to be minimised."
    )
    tuned: tuple[str, ...] = setting(
        (),
        "Features to tune: labels (LM0), kinds (LM stands for LM0, LM1 ..., if any), or single "
        "scores of a label (TranslationModel0.2, counted from 0). The other features keep the "
        "proportions of their initial weights and are tuned as one. Empty: all.",
        examples=[["LM", "NLM", "WordPenalty"]],
    )
    left_out: tuple[str, ...] = setting(
        (),
        "Features whose weights stay 0: labels, kinds or single scores, as in `tuned`.",
        source="Auli et al. 2013, table 6",
        examples=[["TranslationModel0.2", "TranslationModel0.3"]],
    )
    runs: int = setting(
        1, "Number of optimisations with different seeds; their weights are averaged.", ge=1
    )
    restarts: int = setting(
        20, "Number of random starting points, for tuners that use them, such as mert.", ge=0
    )
    options: Options = setting({}, _OPTIONS, examples=[{"mira": {"epochs": 30}}])

    def tuner(self) -> AnyTuner:
        """The tuner with its options."""
        return make_tuner(self.method, self.options.get(self.method))

    def search(self, *, seed: int, threads: int) -> Search:
        """The search for weights."""
        return Search(
            objective=OBJECTIVES.get(self.objective),
            tuned=self.tuned,
            left_out=self.left_out,
            runs=self.runs,
            restarts=self.restarts,
            seed=seed,
            threads=threads,
        )


class TuningSettings(TunerSettings):
    """Tuning of the decoder: decode, add the hypotheses to the pool, optimise, decode again."""

    method: Annotated[str, NameIn(TUNERS)] = setting(
        "mira",
        "Method of tuning between decoder runs (docs/tuning.md).",
    )
    # MIRA's C is smaller than Cherry and Foster's 0.01: it fits dev less tightly (docs/tuning.md).
    options: Options = setting(
        {"mira": {"largest_step": 0.003}}, _OPTIONS, examples=[{"mira": {"epochs": 30}}]
    )
    nbest: int = setting(
        100,
        "Distinct translations per sentence that each iteration adds, for tuners that work on "
        "n-best lists.",
        unit="translations",
        source="Moses' mert-moses.pl, --nbest",
        ge=1,
    )
    lattice_density: float = setting(
        50.0,
        "Arcs (phrases) that lattices keep per word of the best translation, for tuners that work "
        "on lattices.",
        gt=0,
    )
    interpolation: float = setting(
        0.1,
        "Share of the new weights in the next iteration's; the rest is the current weights. For "
        "tuners whose weights are interpolated, such as pro.",
        source="Hopkins and May 2011",
        gt=0,
        le=1,
    )
    max_iterations: int = setting(12, "Maximum number of decoder runs.", ge=1)
    min_gain: float = setting(
        0.05,
        "Smallest gain of the objective that counts; the loop also ends when a tuner other than "
        "pro foresees a smaller gain over the best decoder run.",
        unit="points of 100",
        ge=0,
    )
    patience: int = setting(3, "The loop ends after this many decoder runs without a gain.", ge=1)


class RerankingSettings(TunerSettings):
    """Rescored n-best lists and lattices, and the weights of reranking."""

    method: Annotated[str, NameIn(TUNERS, lambda tuner: issubclass(tuner, ListTuner))] = setting(
        "mira", "Method of tuning the reranking weights (docs/tuning.md)."
    )
    tuned: tuple[str, ...] = setting(
        ("LM", "NLM", "WordPenalty"),
        "Features to tune besides those that the decoder lacks, named as in `tuning`; the others "
        "keep their proportions in the decoder. Empty: all. On lists, all are tuned as well if "
        "these gain nothing.",
        examples=[[]],
    )
    nbest: int = setting(
        1000,
        "Distinct translations per sentence in the lists that the decoder writes for rescoring.",
        unit="translations",
        source="Schwenk 2010, section 4; Luong et al. 2015, section 3.3",
        ge=1,
    )
    lattice_density: float = setting(
        30.0, "Arcs per word of the best translation in the lattices that are rescored.", gt=0
    )
    tuning_set: str = setting(
        "dev",
        "The set on which reranking weights are tuned: dev, as for the decoder; dev2, a separate "
        "set; or an entry of `held_out`.",
        source="Luong et al. 2015, section 3.3",
    )
