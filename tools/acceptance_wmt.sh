#!/bin/sh
# The scale mini over a copy of the WMT site, from the downloads to BLEU: MIRROR CORES.
set -eu
mirror=$1 cores=$2 folder=build/acceptance-wmt port=8014
if ! test -d "$mirror/wmt13" || ! test -d "$mirror/wmt14"; then
    echo "error: $mirror: no folders wmt13 and wmt14 (make acceptance-wmt MIRROR=<folder>)" >&2
    exit 1
fi
rm -rf "$folder"
mkdir -p "$folder"
python -m http.server --bind 127.0.0.1 --directory "$mirror" $port 2> "$folder/server.log" &
server=$!
trap 'kill $server' EXIT
sleep 1
if ! kill -0 $server 2> /dev/null; then
    trap - EXIT
    echo "error: nothing can be served at 127.0.0.1:$port ($folder/server.log says why)" >&2
    exit 1
fi
start=$(date +%s)
snakemake --snakefile Snakefile --directory "$folder" --cores "$cores" reports --config scale=mini
cat "$folder"/results/*/*/report/results.txt
echo "seconds: $(($(date +%s) - start))"
