"""Table 1 and figure 3 after Auli et al. (2013) (rule write_joint_tables)."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.report import (
    format_table,
    mean_searches,
    read_result,
    results_table,
    write_search_page,
)
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        results = results_table(list(map(read_result, snakemake.input.scores)))
        runs = [json.loads(Path(path).read_text("utf-8")) for path in snakemake.input.searches]
        folder = Path(snakemake.output.page).parent
        write_search_page(folder, snakemake.params.title, results, mean_searches(runs))
        print(f"\n{format_table(results)}\n\nThe page: {snakemake.output.page}\n", flush=True)
