"""Baltescu and Blunsom (2015): neural language models inside the decoder, scaled and alone."""

from nlmt.experiment.papers import PaperSettings
from nlmt.papers.complexity import TABLE1, TIMES
from nlmt.papers.corpora import TABLE2, TABLE3
from nlmt.papers.memory import memory_figure
from nlmt.papers.paper import PaperModule
from nlmt.papers.quantities import (
    DecodingTime,
    ModelPerplexity,
    Quantity,
    SystemScore,
    TrainingRecord,
    TrainingSpeed,
    TrainingTime,
)
from nlmt.papers.tables import PaperTable, quantity_table
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
    "baltescu2015_likelihood": "baltescu2015_likelihood",
    "baltescu2015_matrices": "baltescu2015_matrices",
}


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
    model = MODELS[system]
    return {
        "Perplexity": ModelPerplexity(model),
        "BLEU": SystemScore(system, against="baseline" if system == CLASS else CLASS),
        "Training time": TrainingTime(model),
        "Training speed": TrainingSpeed(model),
    }


def _duration(system: str) -> dict[str, Quantity]:
    """The same as table 9 heads it."""
    cells = _trained(system)
    return {("Duration" if name == "Training time" else name): cells[name] for name in cells}


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
                "BLEU": SystemScore(CLASS, against="baseline"),
                "perplexity": ModelPerplexity("nce"),
            },
        },
        pair=PAIR,
        note="KenLM's perplexity is that of a model with the words of the neural one, all others "
        "being <unk>; the model that decodes has all words of the bitext. p: against KenLM.",
    ),
    "table5": quantity_table(
        "Table 5: neural models beside KenLM in the decoder",
        {
            "Unnormalised": {"BLEU": SystemScore("baltescu2015_full_kn5", against=BESIDE)},
            "Class Factored": {"BLEU": SystemScore(BESIDE, against="baseline")},
            "Tree Factored": {"BLEU": SystemScore("baltescu2015_tree_kn5", against=BESIDE)},
            "KenLM alone": {"BLEU": SystemScore("baseline", against=BESIDE)},
            "Class Factored, unnormalised scores": {
                "BLEU": SystemScore("nlm_decoder", against="baseline")
            },
        },
        pair=PAIR,
        note="p: against the class-factored model, and of class-factored models against KenLM "
        "alone. The last two rows are not in the paper's table.",
    ),
    "table6": quantity_table(
        "Table 6: neural models alone in the decoder",
        {
            "Unnormalised": {"BLEU": SystemScore(FULL, against=CLASS)},
            "Class Factored": {"BLEU": SystemScore(CLASS, against="baseline")},
            "Tree Factored": {"BLEU": SystemScore(TREE, against=CLASS)},
        },
        pair=PAIR,
        note="p: against the class-factored model, and of that against KenLM.",
    ),
    "table7": quantity_table(
        "Table 7: how classes and trees are made",
        {
            "Class Factored / Brown clustering": {
                "BLEU": SystemScore(CLASS, against="baseline"),
                "perplexity": ModelPerplexity("nce"),
            },
            **{
                row: {
                    "BLEU": SystemScore(system, against=CLASS),
                    "perplexity": ModelPerplexity(MODELS[system]),
                }
                for row, system in {
                    "Class Factored / Frequency binning": "baltescu2015_frequency",
                    "Tree Factored / Huffman encoding": TREE,
                    "Class Factored / Exchange": "baltescu2015_exchange",
                    "Class Factored / Square-root binning": "baltescu2015_square_root",
                    "Tree Factored / Brown clustering": "baltescu2015_brown_tree",
                }.items()
            },
        },
        pair=PAIR,
        note="p: against Brown clustering, and of that against KenLM. The last three rows and the "
        "perplexities are not in the paper's table; it could not afford Brown's tree.",
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
        note="SGD is the paper's name of likelihood training. Durations are of the whole training "
        "on one thread: its tokens by the highest speed of several repetitions with nothing else "
        "running. p: against NCE, and of that against KenLM.",
    ),
    "table10": quantity_table(
        "Table 10: training time",
        {
            row: {"Training time": TrainingTime(model), "Training speed": TrainingSpeed(model)}
            for row, model in {
                "Unnormalised / NCE": MODELS[FULL],
                "Class Factored / NCE": MODELS[CLASS],
                "Tree Factored / SGD": MODELS[TREE],
                "Class Factored / SGD": MODELS["baltescu2015_likelihood"],
            }.items()
        },
        pair=PAIR,
        note="Times as in table 9. The last row is from there.",
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
        note="Times as in tables 8 and 9. p: against diagonal matrices, and of these against "
        "KenLM.",
    ),
    "figure2": memory_figure(
        "Figure 2: quality against memory, each model alone in the decoder",
        backoff={
            **{
                f"{share} % of the text": (f"baltescu2015_kn5_{share}pct",) * 2
                for share in (1, 3, 10, 30)
            },
            "all text": ("baseline", "kn5"),
        },
        neural={
            **{f"D {dim}": (f"baltescu2015_dim{dim}",) * 2 for dim in (10, 25, 50, 100)},
            "D of the other tables": (CLASS, MODELS[CLASS]),
            "D 400": ("baltescu2015_dim400",) * 2,
        },
        pair=PAIR,
        note="Memory is the size of the model's files: KenLM's tries, not quantised, and neural "
        "models in single precision. The paper's limit of 1 GB is a twelfth of its largest "
        "back-off model; ours is a twelfth of ours. Where the curves cross, runs have a crossing "
        "of their own each.",
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
            for model in ("baltescu2015_kn5", *MODELS.values())
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
