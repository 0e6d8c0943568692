#!/bin/sh
# portable_cc.sh ARGUMENTS...
# The C compiler, with -march=x86-64-v3 in place of -march=native where the processor has it: eflomal
# asks for the latter, and would sample other alignments on another machine.
if grep -q '^flags.* fma .* avx2 ' /proc/cpuinfo; then
    for argument; do
        shift
        test "$argument" != -march=native || argument=-march=x86-64-v3
        set -- "$@" "$argument"
    done
fi
exec cc "$@"
