/* Any move will do: change choose(), and ask for what it reads: WANTS_VIEW, WANTS_NEWS or both with |. */
#include "kit.h"

static unsigned choose(struct request *request) {
    return (unsigned)luck_below(&request->luck, request->moves.size);
}

int main(void) {
    return run("c", WANTS_NOTHING, choose);
}
