"""Write the untuned model's configuration (rule write_moses_ini)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.io.moses_ini import write_ini
from nlmt.phrases import NgramModel, moses_model
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        model = moses_model(
            Path(snakemake.input.phrase_table),
            Path(snakemake.input.reordering_table),
            [NgramModel(Path(snakemake.input.lm), snakemake.params.lm_order)],
            distortion_limit=snakemake.params.distortion_limit,
            table_limit=snakemake.params.table_limit,
        )
        write_ini(Path(snakemake.output.ini), model)
