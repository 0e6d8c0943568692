"""Auli, Galley, Quirk and Zweig (2013): recurrent models rescore whole lattices."""

import math
from typing import Any

import pandas as pd

from nlmt.evaluation.system import AVERAGE
from nlmt.papers.common_tables import by_test_set, chosen_settings, training_table
from nlmt.papers.cosines import cosine_beside, cosine_of_text
from nlmt.papers.paper import Draw, LearntText, Paper, Table
from nlmt.papers.plots import draw_over_text
from nlmt.papers.quantities import Quantity, perplexity, perplexity_fall
from nlmt.papers.results import records
from nlmt.papers.scores import average_bleu, best_gain, largest_gain, loss, score
from nlmt.papers.searches import FIGURE3, TABLE1, Auli2013Settings
from nlmt.papers.sizes import (
    ratio_of_sizes,
    ratio_to_learnt_text,
    size_of_learnt_text,
    size_of_text,
)
from nlmt.papers.tables import quantity_table
from nlmt.papers.times import training_time

BASELINE, TARGET_ONLY = "auli2013_baseline", "auli2013_rnn"
TWO_NGRAMS = "auli2013_two_ngrams"  # the baseline of sections 3 and 4
# Model of each row of tables 5 and 6; its system has the same name.
SOURCES = {
    "sent-lsa-dim80": "auli2013_sent_lsa80",
    "sent-lsa-dim240": "auli2013_sent_lsa240",
    "ww-rnn-dim50.n5": "auli2013_ww_rnn_n5",
    "ww-rnn-dim50.p5n5": "auli2013_ww_rnn_p5n5",
    "ww-rnn-dim50.p3": "auli2013_ww_rnn_p3",
    "ww-rnn-dim50.c5": "auli2013_ww_rnn_c5",
    "ww-lsa-dim50.n5": "auli2013_ww_lsa_n5",
    "ww-lsa-dim50.p3": "auli2013_ww_lsa_p3",
}
ALIGNED_WORDS = "ww-rnn-dim50.c5"  # the model that sees them
# Name of model and system for each row of table 7.
ORACLES = {"oracle": "auli2013_oracle240", "oracle, 80 numbers": "auli2013_oracle80"}
# System, for each row of the text, that compares more words than its models use.
CONTEXTS = {
    "context of 10 words": "auli2013_context10",
    "context of 100 words": "auli2013_context100",
}
TRANSFORM, SECOND = "auli2013_transform", "dev2"  # model and system; the second test set
# System, and model of the same name, for each row of tables 2 to 4.
SAMPLES = {
    "RNN / least text": "auli2013_rnn_01m",  # at scale medium
    "RNN / little text": "auli2013_rnn_4pct",
    "RNN / more text": "auli2013_rnn_20pct",
    "RNN / most text": "auli2013_rnn_all",
}
# Model of each row of section 5.4, whose transform differs in one thing.
TRANSFORMS = {
    f"transform{row}": f"{TRANSFORM}_{end}"
    for row, end in {
        "": "paper",
        ", pairs of full weight": "full_pairs",
        ", not normalised": "not_normalised",
        ", skip-bigrams": "skips",
        ", trigrams": "triples",
        ", rate with decay": "decay",
        ", rate reduced where error rises": "reduce",
    }.items()
}
# The row whose network has the share of the n-gram models' text that is nearest to the paper's.
NEAREST, TIMES, PAPERS_TIMES = "RNN / a 25th of the n-gram models' text", "n-gram models' text", 25
PAPER_TRANSFORM = TRANSFORMS["transform"]
FURTHER = "texts/auli2013_further"  # text of the second n-gram model
# Ending of the systems' names for each column of table 6.
LEFT_OUT = {"without p(e|f)": "_without_ef", "without p(e|f) and p(f|e)": "_without_cm"}


def _scores(system: str, against: str) -> dict[str, Quantity]:
    """BLEU on the first test set, and the mean over all test sets, to which findings refer."""
    return {
        "BLEU": score(system, against=against),
        "BLEU, average": average_bleu(system, against),
    }


def _measured(name: str, against: str, further: tuple[str, ...] = ()) -> dict[str, Quantity]:
    """BLEU of a system, and the perplexity of its model of the same name."""
    own = perplexity(name, against=against, further=further)
    return {**_scores(name, against), "perplexity": own}


def _joint(row: str) -> dict[str, Quantity]:
    """A row of table 5; the perplexity of the aligned words is compared with all others."""
    others = tuple(model for name, model in SOURCES.items() if name != row)
    return _measured(SOURCES[row], TARGET_ONLY, others if row == ALIGNED_WORDS else ())


def _sets(system: str, against: str) -> dict[str, Quantity]:
    """BLEU on each test set, and the mean over them."""
    sets = {"test set 1": "", "test set 2": SECOND, "average": AVERAGE}
    return {
        column: score(system, against=against, test_set=test_set)
        for column, test_set in sets.items()
    }


def nearest_rows(_pair: str, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows named `NEAREST` of a pair's table: copies of those of the nearest network."""
    rows = records(frame)
    times = {r["row"]: r["value"] for r in rows if r["column"] == TIMES and r["value"] > 0}
    if not times:
        return []
    nearest = min(times, key=lambda row: abs(math.log(times[row] / PAPERS_TIMES)))
    note = f"{nearest}: the n-gram models have {times[nearest]:.3g} times its text"
    return [{**row, "row": NEAREST, "note": note} for row in rows if row["row"] == nearest]


def _shares(number: int, pair: str, draw: "Draw | None" = None) -> Table:
    """One of tables 2 to 4."""
    return quantity_table(
        f"Table {number}: models of the target trained on growing shares of the text",
        {
            "Baseline": _scores(TWO_NGRAMS, ""),
            **{
                row: {
                    "size": size_of_learnt_text(system),
                    TIMES: ratio_to_learnt_text(TWO_NGRAMS, system),
                    **_measured(system, TWO_NGRAMS),
                    "gain, best test set": largest_gain(system, TWO_NGRAMS),
                }
                for row, system in SAMPLES.items()
            },
        },
        pair=pair,
        note="The baseline has two n-gram models, of the text of the task and of other text, by "
        "default manuals. Tokens are those of the network's text; the paper has 2 and 50 million "
        "words, here the rows of little and most text; the last row is the one whose network has "
        "nearest to a 25th of the text of both n-gram models, as the paper's larger one has, by "
        "the logarithm of the ratio. Samples are parts of one another, and know "
        "fewer words, so that perplexities do not compare. Lattices, k = 1. The average is over "
        "all test sets, by default test and dev2, which no weights are tuned on. Tables 2 to 4 "
        "have the same rows for each of our pairs. p: against the baseline; of the best test set "
        "times their number. The figure's intervals are those of the same differences.",
        draw=draw,
        extend=nearest_rows,
    )


def _without(model: str, against: str = "auli2013") -> dict[str, Quantity]:
    """BLEU of a model on lattices that lack features."""
    return {column: score(model + end, against=against + end) for column, end in LEFT_OUT.items()}


TABLES: dict[str, Table] = {
    "table1": TABLE1,
    "figure3": FIGURE3,
    "table2": _shares(2, "fr-en", draw_over_text),
    "table3": _shares(3, "de-en"),
    "table4": _shares(4, "en-de"),
    "table5": quantity_table(
        "Table 5: what is seen of the source",
        {
            "Baseline": _scores(BASELINE, ""),
            "target-only": _measured(TARGET_ONLY, BASELINE),
            **{row: _joint(row) for row in SOURCES},
            "target-only, all of the bitext": _measured(f"{TARGET_ONLY}_bitext", TARGET_ONLY),
        },
        note="sent-lsa: of the sentence, by latent semantic analysis; ww: of words before (p) or "
        "after (n) the one that the predicted word is affiliated with, or of up to five that "
        "are linked to it (c), side by side: their embeddings in an Elman network of the "
        "source, or their singular vectors in the analysis. Perplexities are those given the "
        "source and the reference's own alignment. At full scale networks learn from the "
        "newswire part of the bitext, as the paper's, but that of the last row. Lattices, k = "
        "1. p: against target-only, and of that against the baseline.",
    ),
    "table6": quantity_table(
        "Table 6: joint models in place of channel features",
        {
            "Baseline": {"all channel features": score(BASELINE)},
            "Baseline without CM": {
                column: score(f"auli2013{end}", against=BASELINE)
                for column, end in LEFT_OUT.items()
            },
            "target-only": _without(TARGET_ONLY),
            **{row: _without(model) for row, model in list(SOURCES.items())[1:]},
            "Baseline without CM, in the decoder": {
                column: score(f"auli2013_decoder{end}", against=BASELINE)
                for column, end in LEFT_OUT.items()
            },
            "ww-rnn-dim50.n5, in the decoder": _without(
                "auli2013_ww_rnn_n5_decoder", "auli2013_decoder"
            ),
        },
        note="The lattices of the baseline without both features of one direction, or all four, "
        "as the paper's: paths for tuning are the best without them, weights are tuned without "
        "them. In the last two rows the decoder lacks them, too, and its weights are tuned so. "
        "k = 1. p: against the same lattices without a network, and of these against all features.",
    ),
    "table7": quantity_table(
        "Table 7: the reference in place of the source",
        {
            "Baseline": _scores(BASELINE, ""),
            "target-only": _measured(TARGET_ONLY, BASELINE),
            **{row: _measured(model, TARGET_ONLY) for row, model in ORACLES.items()},
            "oracle vs. Baseline": {"BLEU": best_gain(BASELINE, tuple(ORACLES.values()))},
            "oracle vs. target-only": {
                "perplexity": perplexity_fall(TARGET_ONLY, tuple(ORACLES.values()))
            },
        },
        note="The model sees a vector of the reference by latent semantic analysis, in training, "
        "tuning and test: how much an ideal vector of the source would gain. That of the row "
        "oracle has 240 numbers. Its perplexity is not one in the usual sense. Lattices, k = 1. p: "
        "against target-only, and of that against the baseline; of the better oracle times two.",
    ),
    "table8": quantity_table(
        "Table 8: a transform of the source to the vector of the reference",
        {
            "Baseline": _sets(BASELINE, ""),
            "target-only": _sets(TARGET_ONLY, BASELINE),
            "transform": {
                **_sets(TRANSFORM, TARGET_ONLY),
                "perplexity": perplexity(TRANSFORM, against=TARGET_ONLY),
                "cosine, training": cosine_of_text(TRANSFORM, "train"),
                "cosine, validation": cosine_of_text(TRANSFORM, "dev", ["train"]),
                "cosine, test": cosine_of_text(TRANSFORM, "test", ["train", "dev"]),
            },
            "transform vs. Baseline": {
                "best test set": largest_gain(TRANSFORM, BASELINE),
                "average": best_gain(BASELINE, (TRANSFORM,), test_set=AVERAGE),
            },
            "transform vs. target-only": {
                "average": best_gain(TARGET_ONLY, (TRANSFORM,), test_set=AVERAGE),
            },
        },
        note="A linear transform of the source's words and pairs of words, hashed to 20 bits, "
        "learns to give the vector of the reference by latent semantic analysis, of 80 numbers; "
        "the paper's text does not say how many. Cosines are means over sentences, of training "
        "text, dev and test. The average and the best test set are of all test sets, two of which "
        "have columns. Lattices, k = 1. p: against target-only, and of that against the baseline; "
        "of averages over the sentences of all test sets together, of the best test set times "
        "their number.",
    ),
    "text": quantity_table(
        "In the text: long contexts, kinds of transforms, the time of training, sizes of texts",
        {
            "usual n-gram context": {"BLEU": score(TWO_NGRAMS)},
            **{row: {"BLEU": score(system)} for row, system in CONTEXTS.items()},
            **{
                f"long n-gram context vs. usual context / {which}": {
                    "BLEU": loss(TWO_NGRAMS, tuple(CONTEXTS.values()), of_all)
                }
                for which, of_all in (("smallest", min), ("largest", max))
            },
            **{
                row: {
                    "cosine, test": cosine_of_text(model)
                    if model == PAPER_TRANSFORM
                    else cosine_beside(model, PAPER_TRANSFORM)
                }
                for row, model in TRANSFORMS.items()
            },
            **{row: {"training time": training_time(model)} for row, model in SAMPLES.items()},
            "parallel text": {"size": size_of_text("train", side="both")},
            "language model text": {"size": size_of_text(FURTHER)},
            "n-gram model text vs. RNN text": {
                "size": ratio_of_sizes(size_of_text(FURTHER), size_of_text("texts/auli2013_4pct"))
            },
            "tuning set": {"size": size_of_text("dev", unit="sentences")},
            **{
                which: {"size": size_of_text("test", SECOND, unit="sentences", of_all=of_all)}
                for which, of_all in (
                    ("smallest test set", min),
                    ("largest test set", max),
                    ("all test sets", sum),
                )
            },
        },
        note="With long contexts the decoder recombines only hypotheses that share so many last "
        "words; its weights are those of the usual context. The transform has words and pairs of "
        "words at half weight, the whole divided by its length, and a constant rate; each row "
        "after it differs in one thing. Times are of all epochs, on one thread with nothing else "
        "running; the paper names no machine for them. Tokens "
        "of the networks' texts are in tables 2 to 4. Tokens of the parallel text are of both "
        "sides, others of the target side. As in the paper, there is an n-gram model of each text.",
    ),
    "systems": quantity_table(
        "Systems with weights of their own",
        {
            row: {metric: score(system, metric, "baseline") for metric in ("BLEU", "TER", "chrF")}
            for row, system in {
                "Baseline": "baseline",
                "feed-forward model, 1000-best lists": "nlm",
                "feed-forward model, lattices, all states": "auli2013_nce_lattice",
                "LSTM, 1000-best lists": "auli2013_lstm_lists",
                "LSTM, lattices, k = 1": "auli2013_lstm_lattice",
                "GRU, lattices, k = 1": "auli2013_gru_lattice",
                "transformer, lattices, k = 1": "auli2013_transformer_lattice",
                "two n-gram models": TWO_NGRAMS,
                "two n-gram models, Elman network, lattices, k = 10": "auli2013_rnn_lattice10",
            }.items()
        },
        note="p: against the baseline.",
    ),
    "models": quantity_table(
        "The models",
        {
            row: {
                "dev perplexity": perplexity(model, "dev"),
                "test perplexity": perplexity(model, "test"),
            }
            for row, model in {
                "target-only": TARGET_ONLY,
                "LSTM": "auli2013_lstm",
                "GRU": "auli2013_gru",
                "transformer": "auli2013_transformer",
                "feed-forward model": "nce",
            }.items()
        },
    ),
    "searches": chosen_settings("auli2013"),
    "training": training_table("auli2013", further=tuple(TRANSFORMS.values())),
    "test_sets": by_test_set("auli2013"),
}

PAPER = Paper(
    title="Auli, Galley, Quirk and Zweig (2013): Joint Language and Translation Modeling with "
    "Recurrent Neural Networks",
    about="Recurrent models, of the target alone or of source and target, rescore the lattices of "
    "a phrase-based system, k histories a state. They are Elman networks of 100 units with direct "
    "n-gram features, as the paper's, by default trained on software help; an LSTM, a GRU and a "
    "transformer stand beside them.",
    tables=TABLES,
    pair="fr-en",
    figure="figure3",
    texts={
        "": LearntText(words={"fr-en": 1.15e9, "de-en": 1.15e9, "en-de": 3.27e8}),  # section 4
        **dict.fromkeys(
            ("table5", "table6", "table7", "table8"),
            LearntText("train", {"fr-en": 3.5e6}),  # section 5, of the networks
        ),
    },
    pairs=("fr-en", "de-en", "en-de"),
    settings=Auli2013Settings,
)
