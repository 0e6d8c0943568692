#!/bin/sh
# Names the system packages that are missing, and installs them where this runs as root on Debian.
set -eu

missing=""
if command -v dpkg-query >/dev/null 2>&1; then
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      missing="$missing $package"
  done
else
  # Not Debian: look for what the packages bring.
  command -v c++ >/dev/null 2>&1 || missing="$missing c++-compiler"
  command -v cmake >/dev/null 2>&1 || missing="$missing cmake"
  echo '#include <boost/version.hpp>' | c++ -E -x c++ - >/dev/null 2>&1 || missing="$missing boost"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing system packages:$missing"
  apt-get update -qq
  # $missing is a list of words from this repository's Makefile.
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
  echo "set-up needs system packages that are missing:$missing" >&2
  echo "install them with: sudo apt-get install$missing   (or use the conda environments in envs/)" >&2
  exit 1
fi
