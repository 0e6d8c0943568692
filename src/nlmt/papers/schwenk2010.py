"""Schwenk (2010): continuous-space models of translation and language rescore n-best lists."""

from nlmt.papers.paper import PaperModule
from nlmt.papers.quantities import ModelPerplexity, SystemScore
from nlmt.papers.tables import PaperTable, quantity_table

PAIR = "it-en"
BACKOFF = "schwenk2010_backoff"

TABLES: dict[str, PaperTable] = {
    "table1": quantity_table(
        "Table 1: rescoring with a continuous-space language model",
        {
            "Phrase-based / Ref.": {"BLEU": SystemScore("baseline")},
            "Phrase-based / CSLM": {"BLEU": SystemScore("nlm", against="baseline")},
        },
        pair=PAIR,
        note="Ours is the feed-forward model of the default experiment, which has all words of the "
        "text that occur twice and no short-list. There is no n-gram-based decoder here. p: "
        "against the reference system.",
    ),
    "table2": quantity_table(
        "Table 2: back-off and continuous-space models of translation and language",
        {
            "Back-off TM+LM": {"BLEU": SystemScore(BACKOFF, against="baseline")},
            **{
                row: {"BLEU": SystemScore(system, against=BACKOFF)}
                for row, system in {
                    "neural TM": "schwenk2010_neural_tm",
                    "neural LM": "schwenk2010_neural_lm",
                    "neural TM+LM": "schwenk2010_neural_both",
                }.items()
            },
            "no TM": {"BLEU": SystemScore("baseline", against=BACKOFF)},
        },
        pair=PAIR,
        note="TM: a bilingual n-gram model over tuples, LM: of the target. The paper's decoder is "
        "itself based on tuples; here they rescore the lists of the phrase-based baseline, which "
        "is the last row. p: against the back-off models, and of these against the baseline.",
    ),
    "models": quantity_table(
        "The models",
        {
            row: {f"{split}, {units}": ModelPerplexity(model, split) for split in ("dev", "test")}
            for row, model, units in (
                ("back-off TM", "schwenk2010_tm3", "tuples"),
                ("neural TM", "schwenk2010_ctm", "tuples"),
                ("back-off LM", "kn5", "words"),
                ("neural LM", "nce", "words"),
            )
        },
        pair=PAIR,
        note="Perplexities. The neural translation model takes tuples that occur once for unknown.",
    ),
}

PAPER = PaperModule(
    title="Schwenk (2010): Continuous-Space Language Models for Statistical Machine Translation",
    about="Feed-forward models with a short-list rescore the 1000-best lists of phrase-based and "
    "n-gram-based systems, as language models and as translation models over bilingual tuples. "
    "The paper's tasks are spoken language and news; here it is software help, and the models of "
    "both kinds are class-factored and trained by noise-contrastive estimation.",
    tables=TABLES,
)
