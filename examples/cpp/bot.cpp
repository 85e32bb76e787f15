// Kali by a rule of thumb, the other games at random: change choose(), and ask for what it reads, {kit::VIEW, kit::NEWS}.
#include "kit.hpp"

static const int ENOUGH = 3; // gems worth keeping

static std::size_t choose(kit::Request &request) {
    if (request.game == "kali" && request.decision == "go_on") {
        const auto loot = kit::number(request.view, "loot");
        request.note = std::to_string(loot) + " gems at stake";
        return request.named(loot >= ENOUGH ? "stop" : "draw");
    }
    return request.luck.below(request.moves.size);
}

int main() {
    kit::run("cpp", {kit::VIEW}, choose);
}
