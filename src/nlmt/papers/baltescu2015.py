"""Baltescu and Blunsom (2015): neural language models inside the decoder, scaled and alone."""

from nlmt.experiment.papers import PaperSettings
from nlmt.papers.complexity import TABLE1, TIMES
from nlmt.papers.corpora import TABLE2, TABLE3
from nlmt.papers.memory import memory_figure
from nlmt.papers.paper import PaperModule
from nlmt.papers.quantities import (
    ModelPerplexity,
    Quantity,
    SystemScore,
    TrainingRecord,
)
from nlmt.papers.tables import PaperTable, quantity_table
from nlmt.papers.times import DecodingTime, TrainingSpeed, TrainingTime
from nlmt.settings import setting

CLASS, FULL, TREE = "baltescu2015_class", "baltescu2015_full", "baltescu2015_tree"
BESIDE = "baltescu2015_class_kn5"
PAIR = "fr-en"  # of which the paper reports where it names no pair
# Name of each system that decodes with one neural model alone, to that model.
MODELS = {
    CLASS: "nce",
    FULL: "baltescu2015_full",
    TREE: "baltescu2015_tree",
    "baltescu2015_brown_tree": "baltescu2015_brown_tree",
    "baltescu2015_frequency": "baltescu2015_frequency",
    "baltescu2015_exchange": "baltescu2015_exchange",
    "baltescu2015_square_root": "baltescu2015_square_root",
    "baltescu2015_speed": "baltescu2015_speed",
    "baltescu2015_likelihood": "baltescu2015_likelihood",
    "baltescu2015_matrices": "baltescu2015_matrices",
}
BY_DESCENT = ", gradient descent"  # end of the headings of their columns
DESCENT = "_descent"  # end of the names of systems and models that are trained as the paper's
# Those of `MODELS` that there are with the paper's training, and their models.
DESCENT_MODELS = {
    name + DESCENT: name + DESCENT
    for name in (
        CLASS,
        FULL,
        TREE,
        "baltescu2015_frequency",
        "baltescu2015_likelihood",
        "baltescu2015_matrices",
    )
}

TRAININGS = (
    "Models are trained by AdaGrad with dropout; in columns that say so, by gradient descent with "
    "an L2 penalty, as the paper's."
)


class Baltescu2015Settings(PaperSettings):
    """How times are measured, for tables 1 and 8 to 11."""

    timed_sentences: int = setting(
        1000, "Sentences of the test text that are translated for a time.", ge=1, unit="sentences"
    )
    repetitions: int = setting(3, "How often each time is measured.", ge=2)
    vocabularies: tuple[int, ...] = setting(
        (1_000, 3_000, 10_000, 30_000, 100_000, 300_000),
        "Sizes of the synthetic vocabularies of table 1.",
        min_length=2,
        unit="words",
    )
    complexity_dim: int = setting(100, "D of the models of table 1.", ge=1)
    complexity_tokens: int = setting(
        1_000,
        "Tokens that a full softmax of table 1 is trained on, and scores; other outputs have "
        "twenty times as many.",
        ge=1,
        unit="tokens",
    )


def _trained(system: str) -> dict[str, Quantity]:
    """Perplexity, BLEU and training of a model that decodes alone, under the paper's headings."""
    cells: dict[str, Quantity] = {}
    for name, end in ((system, ""), (system + DESCENT, BY_DESCENT)):
        model = (MODELS | DESCENT_MODELS)[name]
        cells |= {
            f"Perplexity{end}": _perplexity(name),
            f"BLEU{end}": _alone(name),
            f"Training time{end}": TrainingTime(model),
            f"Training speed{end}": TrainingSpeed(model),
        }
    return cells


def _alone(system: str) -> SystemScore:
    """BLEU of a system that decodes with one neural model, against the class-factored one."""
    reference = CLASS + DESCENT if system.endswith(DESCENT) else CLASS
    return SystemScore(system, against="baseline" if system == CLASS else reference)


def _perplexity(system: str) -> ModelPerplexity:
    """Test perplexity of a system's neural model, against the class-factored one."""
    models = MODELS | DESCENT_MODELS
    reference = CLASS + DESCENT if system.endswith(DESCENT) else CLASS
    return ModelPerplexity(models[system], against="" if system == reference else models[reference])


def _beside(system: str) -> dict[str, Quantity]:
    """BLEU of a system with KenLM and a neural model, and of the same with the paper's training."""
    ours, papers = ("baseline", BESIDE) if system == BESIDE else (BESIDE, BESIDE + DESCENT)
    return {
        "BLEU": SystemScore(system, against=ours),
        f"BLEU{BY_DESCENT}": SystemScore(system + DESCENT, against=papers),
    }


def _both(system: str) -> dict[str, Quantity]:
    """BLEU of a system, and of the same with the paper's training."""
    return {"BLEU": _alone(system), f"BLEU{BY_DESCENT}": _alone(system + DESCENT)}


def _duration(system: str) -> dict[str, Quantity]:
    """The same as table 9 heads it."""
    cells = _trained(system)
    return {name.replace("Training time", "Duration"): cells[name] for name in cells}


TABLES: dict[str, PaperTable] = {
    "table1": TABLE1,
    "complexity": TIMES,
    "table2": TABLE2,
    "table3": TABLE3,
    "table4": quantity_table(
        "Table 4: a back-off and a class-factored neural model, each alone in the decoder",
        {
            "KenLM": {
                "BLEU": SystemScore("baseline"),
                "perplexity": ModelPerplexity("baltescu2015_kn5"),
            },
            "NLM": {
                **_both(CLASS),
                "perplexity": ModelPerplexity("nce", against="baltescu2015_kn5"),
                f"perplexity{BY_DESCENT}": ModelPerplexity(
                    CLASS + DESCENT, against="baltescu2015_kn5"
                ),
            },
        },
        pair=PAIR,
        note=TRAININGS
        + " KenLM's perplexity is that of a model with the words of the neural one, all others "
        "being <unk>; the model that decodes has all words of the bitext. p: against KenLM.",
    ),
    "table5": quantity_table(
        "Table 5: neural models beside KenLM in the decoder",
        {
            "Unnormalised": _beside("baltescu2015_full_kn5"),
            "Class Factored": _beside(BESIDE),
            "Tree Factored": _beside("baltescu2015_tree_kn5"),
            "KenLM alone": {"BLEU": SystemScore("baseline", against=BESIDE)},
            "Class Factored, unnormalised scores": {
                "BLEU": SystemScore("nlm_decoder", against="baseline")
            },
        },
        pair=PAIR,
        note=TRAININGS
        + " p: against the class-factored model of the same training, and of ours and the last row "
        "against KenLM alone. The last two rows are not in the paper's table.",
    ),
    "table6": quantity_table(
        "Table 6: neural models alone in the decoder",
        {
            "Unnormalised": _both(FULL),
            "Class Factored": _both(CLASS),
            "Tree Factored": _both(TREE),
        },
        pair=PAIR,
        note=TRAININGS + " p: against the class-factored model of the same training, and of ours "
        "against KenLM.",
    ),
    "table7": quantity_table(
        "Table 7: how classes and trees are made",
        {
            row: {
                "BLEU": _alone(system),
                "perplexity": _perplexity(system),
                **(
                    {f"BLEU{BY_DESCENT}": _alone(system + DESCENT)}
                    if system + DESCENT in DESCENT_MODELS
                    else {}
                ),
            }
            for row, system in {
                "Class Factored / Brown clustering": CLASS,
                "Class Factored / Frequency binning": "baltescu2015_frequency",
                "Tree Factored / Huffman encoding": TREE,
                "Class Factored / Exchange": "baltescu2015_exchange",
                "Class Factored / Square-root binning": "baltescu2015_square_root",
                "Class Factored / Speed-regularised": "baltescu2015_speed",
                "Tree Factored / Brown clustering": "baltescu2015_brown_tree",
            }.items()
        },
        pair=PAIR,
        note=TRAININGS + " p: against Brown clustering with the same training, and of ours against "
        "KenLM. The last four rows and the perplexities are not in the paper's table; it could not "
        "afford Brown's tree. Speed-regularised classes are those of Auli et al. (2013).",
    ),
    "table8": quantity_table(
        "Table 8: seconds to decode a sentence",
        {
            row: {"Average decoding time": DecodingTime(system)}
            for row, system in {
                "KenLM": "baseline",
                "Unnormalised NLM": FULL,
                "Class Factored NLM": CLASS,
                "Tree Factored NLM": TREE,
            }.items()
        },
        pair=PAIR,
        note="The least of several repetitions with nothing else running, and their spread.",
    ),
    "table9": quantity_table(
        "Table 9: likelihood against noise-contrastive estimation, class-factored",
        {"SGD": _duration("baltescu2015_likelihood"), "NCE": _duration(CLASS)},
        pair=PAIR,
        note=TRAININGS
        + " SGD is the paper's name of likelihood training. Durations are of the whole training "
        "on one thread: its tokens by the highest speed of several repetitions with nothing else "
        "running. p: against NCE with the same training, and of ours against KenLM.",
    ),
    "table10": quantity_table(
        "Table 10: training time",
        {
            row: {
                column: quantity
                for column, quantity in _trained(system).items()
                if column.startswith("Training")
            }
            for row, system in {
                "Unnormalised / NCE": FULL,
                "Class Factored / NCE": CLASS,
                "Tree Factored / SGD": TREE,
                "Class Factored / SGD": "baltescu2015_likelihood",
            }.items()
        },
        pair=PAIR,
        note=TRAININGS + " Times as in table 9. The last row is from there.",
    ),
    "table11": quantity_table(
        "Table 11: full against diagonal context matrices, class-factored",
        {
            "Full": {
                **_trained("baltescu2015_matrices"),
                "Decoding time": DecodingTime("baltescu2015_matrices"),
            },
            "Diagonal": {**_trained(CLASS), "Decoding time": DecodingTime(CLASS)},
        },
        pair=PAIR,
        note=TRAININGS + " Times as in tables 8 and 9. p: against diagonal matrices with the same "
        "training, and of ours against KenLM.",
    ),
    "combinations": quantity_table(
        "Beyond the paper: networks that read whole sentences, and combinations",
        {
            row: {"BLEU": SystemScore(system, against=against)}
            for row, system, against in (
                ("KenLM alone", "baseline", BESIDE),
                ("Class Factored in the decoder", BESIDE, "baseline"),
                ("GRU on lists", "baltescu2015_gru", "baseline"),
                ("LSTM on lists", "baltescu2015_lstm", "baseline"),
                ("Transformer on lists", "baltescu2015_transformer", "baseline"),
                (
                    "Class Factored in the decoder, GRU on lists",
                    "baltescu2015_inside_and_gru",
                    BESIDE,
                ),
                ("Class Factored in the decoder, all others on lists", "baltescu2015_all", BESIDE),
            )
        },
        pair=PAIR,
        note="KenLM decodes in every row. Lists are reranked with weights tuned on dev. p: against "
        "KenLM alone, and of the last two rows against the class-factored model in the decoder.",
    ),
    "figure2": memory_figure(
        "Figure 2: quality against memory, each model alone in the decoder",
        backoff={
            **{
                f"{share} % of the text": (f"baltescu2015_kn5_{share}pct",) * 2
                for share in (1, 3, 10, 30)
            },
            "all text": ("baltescu2015_kn5_trie",) * 2,
        },
        neural={
            **{f"D {dim}": (f"baltescu2015_dim{dim}",) * 2 for dim in (10, 25, 50, 100)},
            "D of the tables": (CLASS, MODELS[CLASS]),
            **{f"D {dim}": (f"baltescu2015_dim{dim}",) * 2 for dim in (400, 1000, 2000, 5000)},
        },
        eight_bits={
            "D of the tables": (f"{CLASS}_8bit", MODELS[CLASS]),
            "D 400": ("baltescu2015_dim400_8bit", "baltescu2015_dim400"),
        },
        pair=PAIR,
        note="Memory is what a process grows by when it loads the model. Back-off models are "
        "KenLM's tries with probabilities in 8 bits; models in 8 bits keep word vectors so in the "
        "decoder and translate with the weights of those in single precision. The paper's limit of "
        "1 GB is a twelfth of its largest back-off model; ours is a twelfth of ours. Where the "
        "curves cross, runs have a crossing of their own each. D is 10 to 400 at small scale, 100 "
        "to 5000 at full scale.",
    ),
    "models": quantity_table(
        "All models",
        {
            model: {
                "dev perplexity": ModelPerplexity(model, "dev"),
                "test perplexity": ModelPerplexity(model, "test"),
                **(
                    {}
                    if model == "baltescu2015_kn5"
                    else {"abs. log Z of dev": TrainingRecord(model, "dev_mean_abs_log_z", "nats")}
                ),
            }
            for model in ("baltescu2015_kn5", *MODELS.values(), *DESCENT_MODELS.values())
        },
        pair=PAIR,
        note="Perplexities are normalised, words outside the vocabulary counted as <unk>.",
    ),
}

PAPER = PaperModule(
    title="Baltescu and Blunsom (2015): Pragmatic Neural Language Modelling in Machine Translation",
    about="How feed-forward language models are made fast enough for the decoder: softmax layers "
    "without normaliser, factored by classes or by trees, noise-contrastive estimation and "
    "diagonal context matrices; and how they translate beside a back-off model and without one. "
    "The paper trained models of 500 dimensions on up to two billion words of news by gradient "
    "descent with an L2 penalty. The default experiment has half a million words of software help "
    "and 200 dimensions, trained by AdaGrad with dropout, and words that occur once are <unk>; the "
    "class-factored model is the default experiment's, with 3 sqrt(V) classes.",
    tables=TABLES,
    settings=Baltescu2015Settings,
)
