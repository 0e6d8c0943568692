#!/bin/sh
# build_kenlm.sh PYTHON PREFIX
# Builds lmplz, build_binary and KenLM's libraries from its PyPI source distribution, whose hash
# stands in envs/requirements.lock, and installs them with headers and CMake files into PREFIX.
set -eu
python=$1
prefix=$2
here=$(cd "$(dirname "$0")/.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^kenlm==/ {on=1} /^[a-z]/ && !/^kenlm==/ {on=0} on && !/#/' "$here/envs/requirements.lock" >"$work/kenlm.lock"
"$python" -m pip download --quiet --no-deps --no-binary kenlm --require-hashes \
  --requirement "$work/kenlm.lock" --dest "$work"
tar -xzf "$work"/kenlm-*.tar.gz -C "$work"
cmake -S "$work"/kenlm-*/ -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DKENLM_MAX_ORDER=6 \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_POLICY_VERSION_MINIMUM=3.10 >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
cmake --build "$work/build" --parallel "$(nproc)" >"$work/log" 2>&1 ||
  { tail -40 "$work/log" >&2; exit 1; }
cmake --install "$work/build" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
