# Any move will do: change choose(), which returns the number of a move.

function choose() {
    return below(size["moves"])
}

# What choose() reads besides the moves, as JSON: "[\"view\", \"news\"]", one of them or none.
function wants() {
    return "[]"
}
