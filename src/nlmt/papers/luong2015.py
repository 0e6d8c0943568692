"""Luong, Kayser and Manning (2015): models of one to four hidden layers that see the source."""

from nlmt.papers.curves import curves_figure
from nlmt.papers.gains import BestGain
from nlmt.papers.paper import PaperModule
from nlmt.papers.quantities import (
    ModelPerplexity,
    Quantity,
    SystemScore,
    TextRecord,
    TrainingRecord,
)
from nlmt.papers.tables import PaperTable, quantity_table

PAIR = "zh-en"
BASELINE, ONE_LAYER = "luong2015_baseline", "luong2015_1layer"
# Row of the paper's tables to the name of the system and of its model.
LAYERS = {
    "1 layer": ONE_LAYER,
    "2 layers": "luong2015_2layer",
    "3 layers": "luong2015_3layer",
    "4 layers": "luong2015_4layer",
}
SETS = {"dev": "dev2", "test1": ""}  # the paper's name of a set to ours; empty: the first one
MERT = "_mert"  # end of the names of systems whose weights are tuned again by MERT
COMBINED = "(TER-BLEU)/2"
# Column of table 4 to the end of the names of its systems.
FEATURES = {"All": "", "LMs + WP": "_lms_wp", "LMs": "_lms"}


def _scores(system: str, against: str) -> dict[str, Quantity]:
    """TER and BLEU of a system on each set."""
    return {
        f"{name} / {metric}": SystemScore(system, metric, against, test_set)
        for name, test_set in SETS.items()
        for metric in ("TER", "BLEU")
    }


def _gains(over: str) -> dict[str, Quantity]:
    """What the best system gains over another one, on each set."""
    systems = tuple(name for name in LAYERS.values() if name != over)
    return {
        f"{name} / {metric}": BestGain(over, systems, metric, test_set)
        for name, test_set in SETS.items()
        for metric in ("TER", "BLEU")
    }


TABLES: dict[str, PaperTable] = {
    "table1": quantity_table(
        "Table 1: models of one to four hidden layers",
        {
            row: {
                "Valid": ModelPerplexity(model, "dev"),
                "Test": ModelPerplexity(model, "test"),
                "abs. log Z": TextRecord(model, "mean_abs_log_z", "nats"),
                "abs. log Z, dev": TextRecord(model, "mean_abs_log_z", "nats", "dev"),
                "Training speed": TrainingRecord(model, "tokens_per_second", "tokens a second"),
            }
            for row, model in LAYERS.items()
        },
        pair=PAIR,
        note="Perplexities are normalised, given source and alignment; log Z is that of the test "
        "text. The smaller it is, the closer are scores without normaliser to probabilities.",
    ),
    "table2": quantity_table(
        "Table 2: reranking 1000-best lists",
        {
            "baseline": _scores(BASELINE, ""),
            **{row: _scores(system, BASELINE) for row, system in LAYERS.items()},
            **{f"{row}, MERT": _scores(system + MERT, BASELINE) for row, system in LAYERS.items()},
            "vs. baseline": _gains(BASELINE),
            "vs. 1 layer": _gains(ONE_LAYER),
        },
        pair=PAIR,
        note="dev is our dev2, on which the weights of reranking are tuned, test1 our first test "
        "set. Weights are tuned again by MIRA; rows that say so have the paper's MERT. p: against "
        "the baseline. The last two rows are gains of the best system by MIRA; TER gains by "
        "falling.",
    ),
    "figure1": curves_figure(
        "Figure 1: learning curves",
        LAYERS,
        pair=PAIR,
        note="Cross-entropy of the dev text, in nats a word, after so many minibatches; the paper "
        "has that of its test text, which no training of ours sees. Gaps are differences of "
        "perplexities over the later half of the evaluations.",
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
}

PAPER = PaperModule(
    title="Luong, Kayser and Manning (2015): Deep Neural Language Models for Machine Translation",
    about="Self-normalised feed-forward models that see a window of the source, of one to four "
    "hidden layers, rerank the n-best lists of a phrase-based system. The paper's models have "
    "embeddings of 256 numbers, layers of 512 units and one softmax over 40,000 words, trained by "
    "stochastic gradient descent on eleven million pairs of Chinese and English. Those of the "
    "default experiment have 64, 200 and a class-factored output, trained by AdaGrad on thirty "
    "thousand pairs of software help.",
    tables=TABLES,
)
