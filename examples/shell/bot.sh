#!/bin/sh
# The bot is an awk program; mawk has to be told not to wait for a full buffer, the others answer at once.
case $(awk -W version 2>&1 </dev/null) in
mawk*) exec awk -W interactive -f kit.awk -f bot.awk ;;
*) exec awk -f kit.awk -f bot.awk ;;
esac
