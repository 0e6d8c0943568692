#!/bin/sh
# step.sh WHAT COMMAND...
# Runs one step of the set-up; says what it is before, and how long it took after.
set -eu
what=$1
shift
echo "set-up: $what"
begin=$(date +%s)
"$@"
echo "set-up: done in $(($(date +%s) - begin)) s: ${what%%;*}"
