"""Write the untuned model's configuration (rules write_moses_ini, write_shard_ini)."""

from pathlib import Path

from nlmt.io.moses_ini import make_features, write_ini
from nlmt.phrases import moses_model
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        model = moses_model(
            Path(snakemake.input.phrase_table),
            Path(snakemake.input.reordering_table),
            make_features(snakemake.params.language_models),
            distortion_limit=snakemake.params.distortion_limit,
            table_limit=snakemake.params.table_limit,
            recombination_context=snakemake.params.recombination_context,
        )
        write_ini(Path(snakemake.output.ini), model)
