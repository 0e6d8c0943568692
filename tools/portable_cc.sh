#!/bin/sh
# portable_cc.sh ARGUMENTS...
# The C compiler, with -march=x86-64-v3 in place of -march=native where the processor has it, and without
# approximate reciprocals, whose last bits differ between Intel's and AMD's processors: eflomal asks for
# the one, and its -Ofast allows the other, so that it would sample other alignments on another machine.
if grep -q '^flags.* fma .* avx2 ' /proc/cpuinfo; then
    for argument; do
        shift
        test "$argument" != -march=native || argument=-march=x86-64-v3
        set -- "$@" "$argument"
    done
    set -- "$@" -fno-reciprocal-math -mrecip=!all
fi
exec cc "$@"
