/* Any move will do: change choose(). */
#include "kit.h"

static unsigned choose(struct request *request) {
    return (unsigned)luck_below(&request->luck, request->moves.size);
}

int main(void) {
    return run("c", choose);
}
