#!/bin/sh
# Installs nlmt into the conda environment of the rules (snakemake --software-deployment-method
# conda), from the checkout that Snakemake runs in. Snakemake activates the environment first.
set -eu
if ! test -f pyproject.toml || ! test -f envs/requirements.lock; then
  echo "run Snakemake in the folder of the nlmt checkout: its library is installed from there" >&2
  exit 1
fi
python -m pip install --quiet --require-hashes --requirement envs/installer.lock
CC="$PWD/tools/portable_cc.sh" python tools/install_packages.py --require-hashes \
  --requirement envs/requirements.lock
python tools/install_torch.py
tools/build_kenlm.sh python "$CONDA_PREFIX"
python tools/install_packages.py --no-deps "$CONDA_PREFIX"/kenlm-*.whl
CMAKE_PREFIX_PATH="$CONDA_PREFIX" python -m pip install --quiet --no-deps --no-build-isolation \
  --editable .
