// Any move will do: change choose().
#include "kit.hpp"

static std::size_t choose(kit::Request &request) {
    return request.luck.below(request.moves.size);
}

int main() {
    kit::run("cpp", choose);
}
