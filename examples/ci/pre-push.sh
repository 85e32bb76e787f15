#!/bin/sh
# Before a push: is the bot still as good as the committed baseline? Answers in a few seconds.
# Install it with: ln -s ../../examples/ci/pre-push.sh .git/hooks/pre-push
set -u
cd "$(dirname "$(realpath "$0")")" || exit 2

dalang compare kali bot baseline --sprt -0.3,0 --max-blocks 400 --no-clock --seed "pre-push"
code=$?

if [ $code -eq 3 ]; then
    echo "Not decided here; CI plays more blocks." >&2
    exit 0
fi
exit $code
