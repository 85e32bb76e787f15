#!/bin/sh
# Before a push: is the bot still as good as the committed baseline? Answers in a few seconds. As in compare.yml only
# a good bot passes, not one that is worse (exit code 1), undecided (3) or faulty (4); git push --no-verify pushes it.
# Install it with: ln -s ../../examples/ci/pre-push.sh .git/hooks/pre-push
set -u
cd "$(dirname "$(realpath "$0")")" || exit 2

dalang compare kali bot baseline --sprt -0.3,0 --max-blocks 400 --no-clock --seed "pre-push"
