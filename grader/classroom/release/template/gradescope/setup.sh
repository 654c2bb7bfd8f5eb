#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: it installs Backgrade beside this file.
# `grade release --gradescope` wrote it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

new_enough() {
  "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if new_enough "$name"; then
      echo "$name"
      return
    fi
  done
  return 1
}

if command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y libseccomp2  # the jail needs it
  find_python >/dev/null || apt-get install -qq -y python3-venv || true
  find_python >/dev/null || apt-get install -qq -y python3.11 python3.11-venv || true
fi
if ! python=$(find_python); then
  echo "setup.sh: no Python 3.11 or later was found; choose a newer base image in Gradescope" >&2
  exit 1
fi
"$python" -m venv .venv
.venv/bin/pip install -q -r requirements.txt
# The jail drops the rights of root, so student code cannot read the checks even where the container lacks Landlock.
chmod -R go= course
.venv/bin/grade doctor || echo "setup.sh: not every promise holds in this image; see docs/platforms.md, Gradescope"
