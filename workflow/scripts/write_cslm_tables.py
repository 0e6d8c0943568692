"""Schwenk's Table 2 of our systems, and the models behind it (rule write_cslm_tables)."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from nlmt.io.json_files import read_json
from nlmt.report import COLUMNS, NOT_RUN, PaperTable, read_result, results_table, write_tables
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

MODELS = {
    "label": "model",
    "units": "units",
    "dev": "dev perplexity",
    "test": "test perplexity",
    "dev_known": "dev without unknown",
    "test_known": "test without unknown",
    "unknown": "unknown units of test",
}


def model_row(path: Path) -> dict[str, object]:
    """The row of one model."""
    splits = read_json(path)
    name, test = path.parent.name, splits["test"]
    return {
        "label": name,
        "units": "tuples" if name in snakemake.params.over_tuples else "words",
        "dev": splits["dev"]["perplexity"],
        "test": test["perplexity"],
        "dev_known": splits["dev"]["perplexity_without_oov"],
        "test_known": test["perplexity_without_oov"],
        "unknown": f"{test['oov']} of {test['words']}",
    }


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        results = results_table(list(map(read_result, snakemake.input.scores)))
        # Systems that are not configured were not run.
        results = results.set_index("system").reindex(snakemake.params.systems, fill_value=NOT_RUN)
        table = PaperTable(
            "Table 2: back-off and continuous-space models of translation and language",
            COLUMNS,
            results.reset_index(),
            "TM: a bilingual n-gram model over tuples, LM: of the target. Mean and standard "
            "deviation over independent tuning runs; p: paired bootstrap against the first row.",
        )
        models = PaperTable(
            "The models",
            MODELS,
            pd.DataFrame([model_row(Path(path)) for path in snakemake.input.perplexities]),
            "Perplexities of tuples and of words cannot be compared, nor those of vocabularies "
            "with different unknown units.",
        )
        write_tables(
            Path(snakemake.output.page),
            f"Schwenk (2010), {snakemake.params.pair}",
            "After Holger Schwenk, Continuous-Space Language Models for Statistical Machine "
            "Translation, PBML 93. There the decoder is itself based on tuples; here they rescore "
            "the n-best lists of the phrase-based baseline, which is the first row.",
            {snakemake.output.table: table, snakemake.output.models: models},
        )
