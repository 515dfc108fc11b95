#!/usr/bin/env bash
# Measure everything that this machine can measure, and write the records.
set -eu
cd "$(dirname "$0")/.."
make bench
if command -v nvidia-smi >/dev/null; then make gpu; fi
