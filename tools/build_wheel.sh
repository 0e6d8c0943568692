#!/bin/sh
# build_wheel.sh PYTHON KENLM FOLDER
# Builds a wheel into FOLDER that needs no compiler where it is installed: with the compiled modules
# of `make setup`; on x86-64, of which these are for x86-64-v3, again for x86-64-v2
# (src/nlmt/instructions.py). KenLM's Python package, which has no wheel of its own elsewhere, lies
# beside it. KENLM: what build_kenlm.sh has made.
set -eu
python=$1
kenlm=$2
folder=$3

options=""
if [ "$(uname -m)" = x86_64 ]; then
  baseline=build/baseline
  cmake -S . -B "$baseline" -G Ninja -DNLMT_ARCH=x86-64-v2 -DPython_EXECUTABLE="$python" \
    -DCMAKE_PREFIX_PATH="$kenlm" >/dev/null
  cmake --build "$baseline"
  cmake --install "$baseline" --prefix "$baseline/site" >/dev/null
  options="-DNLMT_ARCH=x86-64-v3 -DNLMT_BASELINE=$PWD/$baseline/site/nlmt"
fi
CMAKE_PREFIX_PATH=$kenlm CMAKE_ARGS=$options \
  "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$folder" .
cp "$kenlm"/kenlm-*.whl "$folder"
