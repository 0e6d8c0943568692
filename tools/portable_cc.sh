#!/bin/sh
# portable_cc.sh ARGUMENTS...
# The C compiler, with a fixed instruction set in place of -march=native, and without approximate
# reciprocals, whose last bits differ between Intel's and AMD's processors: eflomal asks for the one, and
# its -Ofast allows the other, so that it would sample other alignments on another machine. Where x86-64
# has no AVX2, -march=native stays.
case $(cc -dumpmachine) in
x86_64-*)
    if grep -q '^flags.* fma .* avx2 ' /proc/cpuinfo; then
        architecture=x86-64-v3
        exact="-fno-reciprocal-math -mrecip=!all"
    fi
    ;;
aarch64-*)
    architecture=armv8-a
    exact="-fno-reciprocal-math -fsigned-char"
    ;;
esac
if [ -n "${architecture:-}" ]; then
    for argument; do
        shift
        test "$argument" != -march=native || argument=-march=$architecture
        set -- "$@" "$argument"
    done
    # $exact is a list of options.
    set -- "$@" $exact
fi
exec cc "$@"
