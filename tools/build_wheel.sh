#!/bin/sh
# build_wheel.sh PYTHON KENLM FOLDER
# Builds a wheel into FOLDER that needs no compiler where it is installed: with the compiled modules
# for x86-64-v3, whose results are those of `make setup`, and again for x86-64-v2
# (src/nlmt/instructions.py). KenLM's Python package, which has no wheel of its own elsewhere, lies
# beside it. KENLM: what build_kenlm.sh has made.
set -eu
python=$1
kenlm=$2
folder=$3

baseline=build/baseline
cmake -S . -B "$baseline" -G Ninja -DNLMT_ARCH=x86-64-v2 -DPython_EXECUTABLE="$python" \
  -DCMAKE_PREFIX_PATH="$kenlm" >/dev/null
cmake --build "$baseline"
cmake --install "$baseline" --prefix "$baseline/site" >/dev/null
CMAKE_PREFIX_PATH=$kenlm \
  CMAKE_ARGS="-DNLMT_ARCH=x86-64-v3 -DNLMT_BASELINE=$PWD/$baseline/site/nlmt" \
  "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$folder" .
cp "$kenlm"/kenlm-*.whl "$folder"
