#!/bin/sh
# Run a command where programs for aarch64 run, too, emulated by qemu, on what lies in build/aarch64:
#     tools/run_aarch64.sh python3 -m pytest tests/unit/io
# `python3`, `cc` and `c++` are those for aarch64; other programs stay the machine's own.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/build/aarch64
export PATH="$build/bin:$PATH" PYTHONPATH="$build/site"
export CC="$here/tools/portable_cc.sh" CXX=c++ CMAKE_TOOLCHAIN_FILE="$here/tools/aarch64.cmake"
# Neoverse N1, as torch needs more than the first of ARMv8's processors have.
export QEMU_LD_PREFIX="$build/root" QEMU_CPU=neoverse-n1
# Processes of this machine would take temporary folders of emulated ones for those of dead processes.
export TMPDIR="$build/tmp"
mkdir -p "$TMPDIR"

handlers=/proc/sys/fs/binfmt_misc
[ ! -e $handlers/qemu-aarch64 ] || exec "$@"
# Since Linux 6.7 the kernel can be told in a namespace, which leaves the machine as it is. Only root is
# known there, whom tar would give its files.
rule=':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
rule=$rule':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
rule=$rule:$(command -v qemu-aarch64-static):F
export TAR_OPTIONS=--no-same-owner
exec unshare --user --map-root-user --mount sh -euc '
  mount -t binfmt_misc binfmt_misc $0
  printf %s "$1" >$0/register
  shift
  exec "$@"' $handlers "$rule" "$@"
