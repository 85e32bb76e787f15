// Write a bot in C++: give run() a function that returns the number of a move, and say what that function reads.
// The rest is the protocol.
//
// What the referee says stays as msgpack has it; typed getters find things in it:
//
//     auto loot = kit::number(request.view, "loot");
//     auto mine = kit::numbers(request.view, "wealth")[request.seat];
//     auto verb = kit::verb(request.moves.ptr[0]);
//
// What is not there, or is something else, is an exception that says so.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <msgpack.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace kit {

// ---- Luck: the generator of protocol/SPEC.md. Use no other, and your bot is reproducible.

class Luck {
public:
    explicit Luck(std::string_view seed = "") {
        for (unsigned char byte : seed)
            state = (state ^ byte) * 1099511628211u;
    }

    std::uint64_t next() { // splitmix64
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    // A number from 0 to n - 1, each as likely as the others: what would favour the low ones is drawn again.
    std::uint64_t below(std::uint64_t n) {
        const std::uint64_t uneven = (0 - n) % n; // 2^64 mod n
        std::uint64_t drawn = next();
        while (drawn < uneven)
            drawn = next();
        return drawn % n;
    }

private:
    std::uint64_t state = 14695981039346656037u; // FNV-1a
};

// ---- Looking into messages

using Object = msgpack::object;

// The value of a key; nullptr if there is none.
inline const Object *find(const Object &map, std::string_view key) {
    if (map.type == msgpack::type::MAP)
        for (const auto &entry : map.via.map)
            if (entry.key.type == msgpack::type::STR && entry.key.as<std::string_view>() == key)
                return &entry.val;
    return nullptr;
}

inline const Object &at(const Object &map, std::string_view key) {
    if (const Object *found = find(map, key))
        return *found;
    throw std::out_of_range("no field " + std::string(key));
}

inline Object at_or_nil(const Object &map, std::string_view key) {
    const Object *found = find(map, key);
    return found ? *found : Object();
}

inline const Object &item(const Object &list, std::size_t number) {
    if (list.type != msgpack::type::ARRAY || number >= list.via.array.size)
        throw std::out_of_range("no item " + std::to_string(number));
    return list.via.array.ptr[number];
}

template <typename Type> Type as(const Object &value, const std::string &what) {
    try {
        return value.as<Type>();
    } catch (const msgpack::type_error &) {
        throw std::invalid_argument(what + " is something else");
    }
}

template <typename Type> Type field(const Object &map, std::string_view key) {
    return as<Type>(at(map, key), "the field " + std::string(key));
}

inline std::int64_t number(const Object &map, std::string_view key) { return field<std::int64_t>(map, key); }
inline double real(const Object &map, std::string_view key) { return field<double>(map, key); }
inline std::string text(const Object &map, std::string_view key) { return field<std::string>(map, key); }

inline std::vector<std::int64_t> numbers(const Object &map, std::string_view key) {
    return field<std::vector<std::int64_t>>(map, key);
}

inline std::vector<std::string> texts(const Object &map, std::string_view key) {
    return field<std::vector<std::string>>(map, key);
}

// What a move is called; its arguments are its items from 1 on.
inline std::string verb(const Object &move) { return as<std::string>(item(move, 0), "a verb"); }

// ---- A decision to make, and the match it belongs to

// What a bot can want to be told. Without the rest, matches are quicker.
inline const std::string VIEW = "view", NEWS = "news";

struct Request {
    msgpack::object_handle start;  // both messages, as protocol/SPEC.md has them
    msgpack::object_handle decide;
    std::string game, decision;
    std::size_t seat = 0, seats = 0;
    Luck luck;
    Object view, events; // nil unless the bot wants VIEW, NEWS
    msgpack::object_array moves{};
    std::string note; // set it to tell people what you think of your choice

    explicit Request(msgpack::object_handle message)
        : start(std::move(message)), game(at(*start, "game").as<std::string>()),
          seat(at(*start, "seat").as<std::size_t>()), seats(at(*start, "seats").as<std::size_t>()),
          luck(at(*start, "seed").as<std::string>()) {}

    void take(msgpack::object_handle message) {
        decide = std::move(message);
        decision = at(*decide, "decision").as<std::string>();
        view = at_or_nil(*decide, "view");
        events = at_or_nil(*decide, "events");
        moves = at(*decide, "moves").via.array;
        note.clear();
    }

    // The number of the first move with this verb.
    std::size_t named(std::string_view wanted) const {
        for (std::size_t number = 0; number < moves.size; number++)
            if (verb(moves.ptr[number]) == wanted)
                return number;
        throw std::out_of_range("no move " + std::string(wanted));
    }
};

// ---- The conversation

// Where messages come from and go to: other descriptors if DALANG_FDS names them, because the bot is debugged.
struct Line {
    int in = STDIN_FILENO, out = STDOUT_FILENO;

    Line() {
        const char *named = std::getenv("DALANG_FDS");
        if (named && std::sscanf(named, "%d,%d", &in, &out) != 2)
            throw std::runtime_error("DALANG_FDS names no two descriptors");
    }
};

inline const Line &line() {
    static const Line line;
    return line;
}

inline void say(const msgpack::sbuffer &message) {
    for (std::size_t done = 0; done < message.size();) {
        const ssize_t written = write(line().out, message.data() + done, message.size() - done);
        if (written <= 0)
            throw std::runtime_error("nobody listens");
        done += static_cast<std::size_t>(written);
    }
}

template <typename... Fields> void say(const Fields &...keys_and_values) {
    msgpack::sbuffer message;
    msgpack::packer<msgpack::sbuffer> packer(message);
    packer.pack_map(sizeof...(keys_and_values) / 2);
    (packer.pack(keys_and_values), ...);
    say(message);
}

// Read until a message is complete; false when the line is closed.
inline bool hear(msgpack::unpacker &unpacker, msgpack::object_handle &message) {
    while (!unpacker.next(message)) {
        unpacker.reserve_buffer(65536);
        const ssize_t size = read(line().in, unpacker.buffer(), unpacker.buffer_capacity());
        if (size <= 0)
            return false;
        unpacker.buffer_consumed(static_cast<std::size_t>(size));
    }
    return true;
}

// Play until the referee says goodbye.
inline void run(const std::string &name, const std::vector<std::string> &wants,
                const std::function<std::size_t(Request &)> &choose) {
    msgpack::unpacker unpacker;
    msgpack::object_handle message;
    std::unique_ptr<Request> request;
    say("type", "hello", "protocol", 1, "name", name, "wants", wants);
    while (hear(unpacker, message)) {
        const auto type = at(*message, "type").as<std::string>();
        if (type == "start") {
            request = std::make_unique<Request>(std::move(message));
            say("type", "ready");
        } else if (type == "decide" && request) {
            const auto id = at(*message, "id").as<std::uint64_t>();
            request->take(std::move(message));
            const std::size_t move = choose(*request);
            if (request->note.empty())
                say("type", "move", "id", id, "move", move);
            else
                say("type", "move", "id", id, "move", move, "note", request->note);
        } else if (type == "bye") {
            return;
        }
    }
}

} // namespace kit
