#!/bin/sh
# build_aarch64.sh PYTHON
# Makes build/aarch64: a Debian for aarch64 with Python, its packages, KenLM, and nlmt with its compiled
# modules, cross-compiled. PYTHON, of this machine, installs the packages. To be run by run_aarch64.sh.
set -eu
installer="env -u PYTHONPATH $1"  # which is for aarch64
cd "$(dirname "$0")/.."
build=$PWD/build/aarch64
mkdir -p "$build/bin"
. /etc/os-release

# Unpacked, not installed: nothing of it runs but Python.
if [ ! -e "$build/root/.ready" ]; then
  rm -rf "$build/root"
  mmdebstrap --quiet --variant=extract --architectures=arm64 \
    --setup-hook='mkdir -p "$1/usr/bin" "$1/usr/lib" "$1/usr/sbin"' \
    --setup-hook='cd "$1" && ln -s usr/bin usr/lib usr/sbin .' \
    --include=python3-dev,zlib1g-dev,libboost-program-options-dev \
    --include=libboost-thread-dev \
    "$VERSION_CODENAME" "$build/root"
  touch "$build/root/.ready"
fi
ln -sf ../root/usr/bin/python3 "$build/kenlm/bin/lmplz" "$build/kenlm/bin/build_binary" "$build/bin"
headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("platinclude"))')
for name in cc:gcc c++:g++ g++:g++; do
  compiler=$build/bin/${name%:*}
  echo "exec aarch64-linux-gnu-${name#*:} --sysroot=$build/root -I$headers \"\$@\"" >"$compiler"
  sed -i '1i #!/bin/sh' "$compiler"
  chmod +x "$compiler"
done

# Those of the machine's own environment. Since 2.11 torch for aarch64 cannot be loaded without CUDA.
install="$installer tools/install_packages.py --python $build/bin/python3 --target $build/site --no-deps"
if [ ! -e "$build/site/.ready" ]; then
  rm -rf "$build/site"
  $install --require-hashes --requirement envs/installer.lock --requirement envs/requirements.lock
  $install pip torch==2.10.0
  touch "$build/site/.ready"
fi

if [ ! -e "$build/kenlm/.ready" ]; then
  tools/build_kenlm.sh python3 "$build/kenlm"
  $install "$build"/kenlm/kenlm-*.whl
  touch "$build/kenlm/.ready"
fi

CMAKE_PREFIX_PATH=$build/kenlm python3 -m pip install --quiet --no-deps --no-build-isolation --upgrade \
  --target "$build/site" .
