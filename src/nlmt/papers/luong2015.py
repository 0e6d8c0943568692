"""Luong, Kayser and Manning (2015): models of one to four hidden layers that see the source."""

from collections.abc import Collection, Mapping

from nlmt.papers.by_test_set import by_test_set
from nlmt.papers.curves import curves_figure
from nlmt.papers.gains import BestGain, MeanGain
from nlmt.papers.paper import PaperModule
from nlmt.papers.quantities import (
    MeanOverSeeds,
    ModelPerplexity,
    Quantity,
    SystemScore,
    TextRecord,
    TrainingRecord,
)
from nlmt.papers.sizes import SizeOfText
from nlmt.papers.tables import PaperTable, quantity_table

PAIR = "zh-en"
BASELINE, ONE_LAYER = "luong2015_baseline", "luong2015_1layer"
CLASSES, CLASS_MODEL = "luong2015_classes", "luong2015_class6"
THREE_MODELS = "luong2015_three_models"
# Row of the paper's tables to the name of the system and of its model.
LAYERS = {
    "1 layer": ONE_LAYER,
    "2 layers": "luong2015_2layer",
    "3 layers": "luong2015_3layer",
    "4 layers": "luong2015_4layer",
}
DEEP = (LAYERS["3 layers"], LAYERS["4 layers"])
OTHER_SEEDS = ("_seed2", "_seed3")  # ends of the names of models with other seeds
# The paper's name of a set to ours; empty: the first one.
SETS = {"dev": "dev2", "test1": "", "test2": "luong2015_test2"}
DOMAIN = "luong2015_domain"
DOMAIN_BASELINE = f"{DOMAIN}_baseline"
# Row of table 3 to the name of the system and of the model that it rescores with.
ADAPTED = {
    "1 layer": (f"{DOMAIN}_1layer", "luong2015_1layer_adapted"),
    "2 layers": (f"{DOMAIN}_2layer", "luong2015_2layer_adapted"),
    "3 layers": (f"{DOMAIN}_3layer", "luong2015_3layer_adapted"),
}
GENERAL = "_general"  # end of the names of systems whose models are not adapted
DOMAIN_SETS = {"dev": f"{DOMAIN}_dev", "test": DOMAIN}
PAPER_TRAINING = "_paper"  # end of the names of models and systems of the paper's own training
MERT = "_mert"  # end of the names of systems whose weights are tuned again by MERT
COMBINED = "(TER-BLEU)/2"
# Column of table 4 to the end of the names of its systems.
FEATURES = {"All": "", "LMs + WP": "_lms_wp", "LMs": "_lms"}


def _scores(system: str, against: str, sets: Mapping[str, str] = SETS) -> dict[str, Quantity]:
    """TER and BLEU of a system on each set."""
    return {
        f"{name} / {metric}": SystemScore(system, metric, against, test_set)
        for name, test_set in sets.items()
        for metric in ("TER", "BLEU")
    }


def _gains(
    over: str, systems: Collection[str], sets: Mapping[str, str] = SETS
) -> dict[str, Quantity]:
    """What the best of some systems gains over another one, on each set."""
    others = tuple(name for name in systems if name != over)
    return {
        f"{name} / {metric}": BestGain(over, others, metric, test_set)
        for name, test_set in sets.items()
        for metric in ("TER", "BLEU")
    }


def _mean_gains(over: str) -> dict[str, Quantity]:
    """What the better of the deep models gains over a system, on average over both test sets."""
    test_sets = (SETS["test1"], SETS["test2"])
    return {metric: MeanGain(over, DEEP, test_sets, metric) for metric in ("TER", "BLEU")}


def _adapted(system: str, model: str) -> dict[str, Quantity]:
    """An adapted model, and the system that reranks with it."""
    return {
        "perplexity": ModelPerplexity(model, "test"),
        "abs. log Z": TextRecord(model, "mean_abs_log_z", "nats"),
        **_scores(system, DOMAIN_BASELINE, DOMAIN_SETS),
    }


def _model(model: str, *other_seeds: str) -> dict[str, Quantity]:
    """Perplexities and normalisers of a model, and of the same one with other seeds."""
    names = (model, *(model + end for end in other_seeds))
    each: dict[str, tuple[Quantity, ...]] = {
        "Valid": tuple(ModelPerplexity(name, "dev") for name in names),
        "Test": tuple(ModelPerplexity(name, "test") for name in names),
        "abs. log Z": tuple(TextRecord(name, "mean_abs_log_z", "nats") for name in names),
        "abs. log Z, dev": tuple(
            TextRecord(name, "mean_abs_log_z", "nats", "dev") for name in names
        ),
        "Training speed": (TrainingRecord(model, "tokens_per_second", "tokens a second"),),
    }
    return {
        column: quantities[0] if len(quantities) == 1 else MeanOverSeeds(quantities)
        for column, quantities in each.items()
    }


TABLES: dict[str, PaperTable] = {
    "table1": quantity_table(
        "Table 1: models of one to four hidden layers",
        {row: _model(model, *OTHER_SEEDS) for row, model in LAYERS.items()},
        pair=PAIR,
        note="Means over three seeds. Where a model is trained with several learning rates, the "
        "dev perplexity chooses. Perplexities are normalised, given source and alignment; log Z is "
        "that of the test text. The smaller it is, the closer are scores without normaliser to "
        "probabilities.",
    ),
    "training": quantity_table(
        "The models of table 1 with the paper's own training",
        {row: _model(model + PAPER_TRAINING) for row, model in LAYERS.items()},
        pair=PAIR,
        note="One softmax over the most frequent words, all weights evenly distributed up to 0.01, "
        "plain gradient descent in minibatches of 128 without clipping, 4 epochs, the rate "
        "halved every half epoch after the second, sentences of two words or less left out. "
        "With --configfile config/luong2015-sizes.yaml they have the paper's sizes, too: "
        "embeddings of 256 numbers, layers of 512 units. Perplexities are of fewer words than "
        "those of table 1.",
    ),
    "table2": quantity_table(
        "Table 2: reranking 1000-best lists",
        {
            "baseline": _scores(BASELINE, ""),
            **{row: _scores(system, BASELINE) for row, system in LAYERS.items()},
            **{f"{row}, MERT": _scores(system + MERT, BASELINE) for row, system in LAYERS.items()},
            **{
                f"{row}, the paper's training": _scores(system + PAPER_TRAINING, BASELINE)
                for row, system in LAYERS.items()
            },
            "vs. baseline": _gains(BASELINE, LAYERS.values()),
            "vs. 1 layer": _gains(ONE_LAYER, LAYERS.values()),
        },
        pair=PAIR,
        note="dev is our dev2, on which the weights of reranking are tuned, test1 our first test "
        "set, test2 of the help of GNOME. Weights are tuned again by MIRA; rows that say so have "
        "the paper's MERT. p: against the baseline. The last two rows are gains of the best system "
        "by MIRA; TER gains by falling.",
    ),
    "classes": quantity_table(
        "More n-gram models in the decoder, one of them over classes",
        {
            "5-gram": {**_scores(BASELINE, ""), "Test perplexity": ModelPerplexity("kn5")},
            "5-gram and class 6-gram": _scores(CLASSES, BASELINE),
            "5-gram, and of further text a 5-gram and a class 6-gram": _scores(
                THREE_MODELS, BASELINE
            ),
            **{
                f"these three, + {row}": _scores(f"{THREE_MODELS}_{layers}", THREE_MODELS)
                for row, layers in (("1 layer", "1layer"), ("4 layers", "4layer"))
            },
            "class 6-gram": {"Test perplexity": ModelPerplexity(CLASS_MODEL)},
        },
        pair=PAIR,
        note="The paper's decoder has three language models: of the bitext, of 16.3 billion words, "
        "and over classes, of the same 16.3 billion words. So has the third row, whose further "
        "text are other manuals; both models of the second row are of the bitext. The two rows "
        "after it rerank its lists. p: against the 5-gram alone, and of these against the three "
        "models.",
    ),
    "table3": quantity_table(
        "Table 3: models adapted to a new domain",
        {
            "baseline": _scores(DOMAIN_BASELINE, "", DOMAIN_SETS),
            **{row: _adapted(system, model) for row, (system, model) in ADAPTED.items()},
            **{
                f"{row}, not adapted": _scores(system + GENERAL, DOMAIN_BASELINE, DOMAIN_SETS)
                for row, (system, _) in ADAPTED.items()
            },
            "vs. baseline": _gains(
                DOMAIN_BASELINE, [system for system, _ in ADAPTED.values()], DOMAIN_SETS
            ),
            "vs. 1 layer": _gains(ADAPTED["1 layer"][0], [ADAPTED["3 layers"][0]], DOMAIN_SETS),
        },
        pair=PAIR,
        note="The new domain is the manual of GIMP, where the paper has messages; the weights of "
        "reranking are tuned on its dev. Perplexity and log Z are of the test text. p: against the "
        "baseline. The last two rows are what the best adapted system gains over the baseline, and "
        "three layers over one; TER gains by falling.",
    ),
    "figure1": curves_figure(
        "Figure 1: learning curves",
        LAYERS,
        pair=PAIR,
        note="Cross-entropy of the test text, in nats a word, after so many minibatches; training "
        "does not go by it. Here, values from minibatch 20K and 30K on are means over the later "
        "half of the evaluations; gaps are differences of perplexities.",
    ),
    "curves": curves_figure(
        "Learning curves of the paper's own training",
        {row: model + PAPER_TRAINING for row, model in LAYERS.items()},
        pair=PAIR,
        note="As figure 1, of the models of table `training`.",
    ),
    "table4": quantity_table(
        "Table 4: features whose weights are tuned again",
        {
            row: {
                column: SystemScore(system + end, COMBINED, system)
                for column, end in FEATURES.items()
            }
            for row, system in LAYERS.items()
        },
        pair=PAIR,
        note="All features, or the language models (LMs), with the word penalty (WP), and all "
        "others as one. Of our first test set; the smaller, the better. p: against all features.",
    ),
    "text": quantity_table(
        "In the text: mean gains, speed of training, sizes of texts",
        {
            "deep vs. baseline / mean of test1 and test2": _mean_gains(BASELINE),
            "deep vs. 1 layer / mean of test1 and test2": _mean_gains(ONE_LAYER),
            "training": {
                "speed": TrainingRecord(LAYERS["4 layers"], "tokens_per_second", "tokens a second")
            },
            "bitext / sentences": {"size": SizeOfText(("train",), "sentences")},
            "bitext / source": {"size": SizeOfText(("train",), side="source")},
            "bitext / target": {"size": SizeOfText(("train",))},
            "validation set": {"size": SizeOfText(("dev",), "sentences")},
            "test set": {"size": SizeOfText(("test",), "sentences")},
            "decoder tuning set": {"size": SizeOfText(("dev",))},
            "reranking tuning set": {"size": SizeOfText((SETS["dev"],))},
        },
        pair=PAIR,
        note="deep: the better of three and four layers on each test set, as in table 2; TER gains "
        "by falling. The paper's speed is that of one Tesla K40 and of no stated depth, ours "
        "that of four layers. Weights of the decoder are tuned on the text that models are "
        "validated on, those of reranking on dev2. Tokens of tuning sets are those of the "
        "target side.",
    ),
    "test_sets": by_test_set("luong2015", pair=PAIR),
}

PAPER = PaperModule(
    title="Luong, Kayser and Manning (2015): Deep Neural Language Models for Machine Translation",
    about="Self-normalised feed-forward models that see a window of the source, of one to four "
    "hidden layers, rerank the n-best lists of a phrase-based system. The paper's models have "
    "embeddings of 256 numbers, layers of 512 units and one softmax over 40,000 words, trained by "
    "stochastic gradient descent on eleven million pairs of Chinese and English. Those of the "
    "default experiment have 64, 200 and a class-factored output, trained by AdaGrad on thirty "
    "thousand pairs of software help; beside them are models of the paper's own training.",
    tables=TABLES,
)
