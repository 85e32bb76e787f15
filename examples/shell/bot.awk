# Any move will do: change choose(), which returns the number of a move.

function choose() {
    return below(size["moves"])
}
