# Write a bot in awk: define choose() and wants() in a file of your own. This file is the protocol, as JSON lines.
#
# Of the message that came last, value["view"] is the JSON text of the field view, and size["moves"] tells how many
# items the list moves has. What wants() does not ask for is empty. awk counts characters of a string from 1, moves are
# counted from 0.

BEGIN {
    FS = "\n"
    print_now("{\"type\":\"hello\",\"protocol\":1,\"name\":\"shell\",\"wants\":" wants() "}")
}

{ read_message($0) }

value["type"] == "\"start\"" {
    seed_luck(value["seed"])
    print_now("{\"type\":\"ready\"}")
}

value["type"] == "\"decide\"" {
    print_now("{\"type\":\"move\",\"id\":" value["id"] ",\"move\":" choose() "}")
}

value["type"] == "\"bye\"" { exit }

function print_now(line) {
    print line
    fflush()
}

# One map of JSON: its values are texts that begin after a colon and end at a comma, both at depth 1.
function read_message(line,    length_, i, char, depth, key, word, begin, commas, filled) {
    split("", value)
    split("", size)
    length_ = length(line)
    for (i = 1; i <= length_; i++) {
        char = substr(line, i, 1)
        if (char == "\"") {
            word = string_at(line, i)
            i += length(word) - 1
            if (depth == 1 && !begin) key = substr(word, 2, length(word) - 2)
            filled = 1
        } else if (char == ":" && depth == 1) {
            begin = i + 1
            commas = filled = 0
        } else if (char == "," && depth == 2) {
            commas++
        } else if (char == "," && depth == 1 || char == "}" && depth == 1 && begin) {
            value[key] = trimmed(substr(line, begin, i - begin))
            size[key] = filled ? commas + 1 : 0
            begin = 0
        } else if (char == "{" || char == "[") {
            if (depth >= 2) filled = 1
            depth++
        } else if (char == "}" || char == "]") {
            depth--
        } else if (char !~ /[ \t\r]/) {
            filled = 1
        }
    }
}

# The string that begins here, with its quotes.
function string_at(line, start,    i) {
    for (i = start + 1; substr(line, i, 1) != "\""; i++) {
        if (substr(line, i, 1) == "\\") i++
    }
    return substr(line, start, i - start + 1)
}

function trimmed(text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

# ---- Luck: use no other, and your bot is reproducible. awk's own generator differs from awk to awk, and its numbers
# are exact only up to 2^53, so this is Lehmer's: the state, below 2^31, times 16807, modulo 2^31 - 1.

function seed_luck(text,    i) {
    state = 0
    for (i = 1; i <= length(text); i++) {
        state = (state * 31 + index("\"0123456789abcdefghijklmnopqrstuvwxyz", substr(text, i, 1))) % 2147483647
    }
    if (!state) state = 1
}

function next_number() {
    return state = state * 16807 % 2147483647
}

# A number from 0 to n - 1, each as likely as the others: what would favour the low ones is drawn again.
function below(n,    drawn) {
    do {
        drawn = next_number() - 1
    } while (drawn < 2147483646 % n)
    return drawn % n
}
