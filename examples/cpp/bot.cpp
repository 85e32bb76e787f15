// Any move will do: change choose(), and ask for what it reads: {kit::VIEW, kit::NEWS}.
#include "kit.hpp"

static std::size_t choose(kit::Request &request) {
    return request.luck.below(request.moves.size);
}

int main() {
    kit::run("cpp", {}, choose);
}
