#!/bin/sh
# `berth` on a stage: recorded as it is called; `env` prints lines for the shell that asks.
'RECORDER' "$@" || exit
[ "$1" = env ] || exit 0
case "$*" in
*fish*) echo "set -gx CUDA_VISIBLE_DEVICES 'GPU-from-berth,GPU-and \\'another\\''" ;;
*) echo "export CUDA_VISIBLE_DEVICES='GPU-from-berth,GPU-and '\\''another'\\'" ;;
esac
