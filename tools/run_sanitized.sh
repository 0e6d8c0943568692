#!/bin/sh
# Run a command on the modules of build/sanitize, made by `make sanitize`:
#     tools/run_sanitized.sh .venv/bin/python tests/unit/decoder/decoder_fuzz.py --seconds 600
set -eu
folder=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$folder/build/sanitize/site"
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1"
export LSAN_OPTIONS="suppressions=$folder/tools/leaks_of_others.txt:print_suppressions=0"
exec "$@"
