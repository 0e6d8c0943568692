#!/usr/bin/env bash
# What a machine with a GPU and no network makes of the neural models, in under 6 minutes, from the project's root:
#
#   bash benchmarks/gpu.sh [CARRIED]
#
# The machine has Python, torch, numpy and safetensors; CARRIED, by default .gpu, holds what it lacks, made by
# `make gpu-bench GPU_PYTHON=PROGRAM` with a Python of the same version:
#   whl/   wheels of Python packages
#   nlmt/  the compiled modules
# Tables are printed as they are measured, and end as frames (TSV) in the folder OUT.
set -uo pipefail
carried=${1:-.gpu}
export PYTHONUNBUFFERED=1 OUT=${OUT:-$(mktemp -d)} SITE
SITE=$(mktemp -d)
mkdir -p "$OUT"
python3 -m pip install -q --no-index --no-deps --no-compile --target "$SITE" "$carried"/whl/*.whl || exit 1
cp -r src/nlmt "$SITE"/ && cp -r "$carried"/nlmt "$SITE"/ || exit 1
# The n-gram models, which are not used here, need KenLM.
echo 'class Model: pass' >"$SITE"/kenlm.py
export PYTHONPATH=$SITE:$PWD
failed=0
step() {
    local limit=$1 name=$2
    shift 2
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$OUT/$name.txt"
    local status=${PIPESTATUS[0]}
    ((status == 0)) || failed=1
    echo "== $name: status $status after $SECONDS s"
}
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
step 90 check python3 -m benchmarks.gpu_check
step 170 speed python3 -m benchmarks neural_gpu --frames "$OUT"
step 90 threads python3 -m benchmarks neural_threads --frames "$OUT"
exit $failed
