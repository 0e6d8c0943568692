#!/bin/sh
# Run a command on the modules of build/sanitize, made by `make sanitize`:
#     tools/run_sanitized.sh .venv/bin/python tests/unit/decoder/decoder_fuzz.py --seconds 600
# or, with SANITIZER=thread, on those of build/threads, made by `make sanitize-threads`.
set -eu
folder=$(cd "$(dirname "$0")/.." && pwd)
if [ "${SANITIZER:-address}" = thread ]; then
    export PYTHONPATH="$folder/build/threads/site"
    export LD_PRELOAD="$(gcc -print-file-name=libtsan.so) $(gcc -print-file-name=libstdc++.so)"
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1:report_signal_unsafe=0:exitcode=66"
    exec setarch "$(uname -m)" --addr-no-randomize "$@"
fi
export PYTHONPATH="$folder/build/sanitize/site"
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1"
export LSAN_OPTIONS="suppressions=$folder/tools/leaks_of_others.txt:print_suppressions=0"
exec "$@"
