#!/bin/sh
# build_kenlm.sh PYTHON PREFIX
# Builds lmplz, build_binary and KenLM's libraries from its PyPI source distribution, whose hash
# stands in envs/kenlm.lock, and installs them with headers and CMake files into PREFIX; a wheel of
# its Python package lies there too.
set -eu
python=$1
prefix=$2
here=$(cd "$(dirname "$0")/.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Only to read its metadata pip would otherwise install a whole CMake.
"$python" -m pip download --quiet --no-deps --no-binary kenlm --no-build-isolation --require-hashes \
  --requirement "$here/envs/kenlm.lock" --dest "$work"
tar -xzf "$work"/kenlm-*.tar.gz -C "$work"
source=$(echo "$work"/kenlm-*/)
version=$(basename "$source" | sed 's/^kenlm-//')

# Boost's test framework is for its tests; Boost.System needs no library since 1.69, and has none
# since 1.89.
sed -i -e '/^  system$/d' -e '/^  unit_test_framework$/d' "$source/CMakeLists.txt"
# Its other programs take as long as these two. Nothing here filters models.
sed -i '/^add_subdirectory(filter)/d' "$source/lm/CMakeLists.txt"
sed -i '/cmake_parse_arguments(AddExes /a\
  list(FILTER AddExes_EXES INCLUDE REGEX "^(lmplz|build_binary)$")\
  if(NOT AddExes_EXES)\
    return()\
  endif()' "$source/cmake/KenLMFunctions.cmake"
# What lmplz is made of, compiled at once, reads Boost's headers once. Not so the libraries, of which
# others link only files that do not need Boost.
echo 'set_target_properties(kenlm_builder PROPERTIES UNITY_BUILD ON)' >>"$source/CMakeLists.txt"
# As on x86-64 without AVX2, which is what it is compiled for there: nothing is multiplied and added in one
# step, and char has a sign.
CXXFLAGS="${CXXFLAGS:-} -ffp-contract=off -fsigned-char" \
  cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DKENLM_MAX_ORDER=6 -DENABLE_INTERPOLATE=OFF \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_POLICY_VERSION_MINIMUM=3.10 >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
cmake --build "$work/build" --parallel "$(nproc)" >"$work/log" 2>&1 ||
  { tail -40 "$work/log" >&2; exit 1; }
cmake --install "$work/build" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
# By itself the Python package would compile all of KenLM twice more; here it links what there is.
# The C++ that lies there is of an old Cython, and does not compile on Python 3.13. Other threads run
# while a model is loaded, so that Ctrl-C is heard.
sed -i '/LoadVirtual/s/except +$/except + nogil/' "$source/python/_kenlm.pxd"
sed -i -e 's/self.path = os.path.abspath(as_str(path))/&\n        cdef char* name = self.path/' \
  -e 's/self.model = _kenlm.LoadVirtual(self.path, /with nogil: self.model = _kenlm.LoadVirtual(name, /' \
  "$source/python/kenlm.pyx"
"$python" -m cython --cplus "$source/python/kenlm.pyx"
libraries="'$work/build/lib/libkenlm.a', '$work/build/lib/libkenlm_util.a'"
sed -i -e "s|^FILES = glob.*|FILES = ['python/score_sentence.cc']|" \
  -e 's|cmdclass={.*}|cmdclass={}|' -e "s|libraries=LIBS|extra_objects=[$libraries], libraries=LIBS|" \
  "$source/setup.py"
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$prefix" "$source" \
  >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
# For find_package: KenLM's own files say no version.
echo "set(PACKAGE_VERSION $version)" >"$prefix/share/kenlm/cmake/kenlmConfigVersion.cmake"
