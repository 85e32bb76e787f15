#!/bin/sh
# Before a push: is the bot still as good as the one that was pushed last? Answers in a few seconds. As in compare.yml only
# a good bot passes, not one that is worse (exit code 1), undecided (3) or faulty (4); git push --no-verify pushes it.
# Install it with: ln -s ../../examples/ci/pre-push.sh .git/hooks/pre-push
set -u
unset GIT_DIR
cd "$(git rev-parse --show-toplevel)" || exit 2
bot=examples/ci/bot
pushed='@{upstream}'
base=$(mktemp -d) || exit 2
trap 'git worktree remove --force "$base"' EXIT
git worktree add --quiet --detach "$base" "$pushed" || exit 2

dalang compare kali "$bot" "base=$base/$bot" --sprt -0.3,0 --max-blocks 400 --no-clock --seed "pre-push"
