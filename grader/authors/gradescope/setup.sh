#!/usr/bin/env bash
# Runs once, as root, when the autograder's image is built. Everything is in wheels/; the network is needed only if the
# image has no Python 3.11.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v python3.11 >/dev/null; then
    apt-get update
    apt-get install -y --no-install-recommends python3.11 python3.11-venv
fi
apt-get install -y --no-install-recommends bubblewrap || echo "no bubblewrap: submissions are confined by seccomp and a user of their own"

python3.11 -m venv venv
venv/bin/pip install --quiet --no-index --find-links wheels wheels/*.whl
venv/bin/grade doctor
