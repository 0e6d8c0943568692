#!/bin/sh
# recover_slurm.sh
# After Snakemake was killed: cancel the jobs that it left in Slurm's queue, wait until they have
# ended, and unlock the folder. Run it in the project's folder when no Snakemake runs there any more;
# then start Snakemake again. SNAKEMAKE names another program than .venv/bin/snakemake.
set -eu
ids=$(sed -n 's/.*SLURM run ID: \([0-9A-Za-z_-]*\).*/\1/p' .snakemake/log/*.log 2>/dev/null | sort -u)
for id in $ids; do
  scancel --name "$id"
done
for id in $ids; do
  until left=$(squeue --noheader --name "$id") && [ -z "$left" ]; do
    echo "waiting for the jobs of run $id to end"
    sleep 2
  done
done
exec "${SNAKEMAKE:-.venv/bin/snakemake}" --unlock
