"""Systems and models after Luong, Kayser and Manning (2015) (rule write_deep_tables)."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from nlmt.io.json_files import read_json
from nlmt.report import (
    COLUMNS,
    PaperTable,
    format_table,
    read_result,
    results_table,
    write_tables,
)
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

MODELS = {
    "label": "model",
    "hidden": "hidden layers",
    "dev": "dev perplexity",
    "test": "test perplexity",
    "log_z": "mean |log Z| of dev",
    "speed": "tokens a second",
}


def model_row(perplexity: str, metrics: str, config: str) -> dict[str, object]:
    """The row of one model."""
    splits, trained = read_json(perplexity), read_json(metrics)
    parts = read_json(config)["model"]
    hidden = len(parts["hidden"]) if "hidden" in parts else parts.get("layers", 1)
    return {
        "label": Path(config).parent.name,
        "hidden": str(hidden),
        "dev": splits["dev"]["perplexity"],
        "test": splits["test"]["perplexity"],
        "log_z": trained["dev_mean_abs_log_z"],
        "speed": f"{trained['tokens_per_second']:.0f}",
    }


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        results = results_table(list(map(read_result, snakemake.input.scores)))
        table = PaperTable(
            "BLEU",
            COLUMNS,
            results,
            "Mean and standard deviation over independent tuning runs; p: paired bootstrap against "
            "the first row.",
        )
        inputs = snakemake.input
        files = zip(inputs.perplexities, inputs.metrics, inputs.configs, strict=True)
        models = PaperTable(
            "The models",
            MODELS,
            pd.DataFrame([model_row(*paths) for paths in files]),
            "Perplexities are normalised, given source and alignment. The smaller |log Z|, the "
            "closer are scores without normaliser to probabilities.",
        )
        write_tables(
            Path(snakemake.output.page),
            f"Luong, Kayser and Manning (2015), {snakemake.params.pair}",
            "After Thang Luong, Michael Kayser and Christopher D. Manning, Deep Neural Language "
            "Models for Machine Translation, CoNLL 2015: models that see a window of the source, "
            "of one to four hidden layers, rescore the n-best lists of the baseline.",
            {snakemake.output.table: table, snakemake.output.models: models},
        )
        print(f"\n{format_table(results)}\n\nThe page: {snakemake.output.page}\n", flush=True)
