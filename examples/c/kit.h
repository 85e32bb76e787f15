/* Write a bot in C: give run() a function that returns the number of a move, and say what that function reads.
 * The rest is the protocol.
 *
 * Messages are read in place, without a copy: a struct value points into one, and finding something in it
 * walks over what stands before. Nothing is allocated but the two messages at hand.
 *
 *     struct value wealth = find(request->view, "wealth");
 *     long long mine = number(item(wealth, request->seat));
 *     if (is_text(item(item(request->moves, 0), 0), "stop")) ...
 *
 * What is not there has the kind NOTHING, and everything asked of it is NOTHING, 0 or no.
 */
#ifndef KIT_H
#define KIT_H

#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Luck: the generator of protocol/SPEC.md. Use no other, and your bot is reproducible. */

struct luck {
    uint64_t state;
};

static inline struct luck luck_of(const unsigned char *seed, size_t length) {
    struct luck luck = {14695981039346656037u}; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        luck.state = (luck.state ^ seed[i]) * 1099511628211u;
    return luck;
}

static inline uint64_t luck_next(struct luck *luck) { /* splitmix64 */
    uint64_t z = luck->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number from 0 to n - 1, each as likely as the others: what would favour the low ones is drawn again. */
static inline uint64_t luck_below(struct luck *luck, uint64_t n) {
    uint64_t drawn, uneven = (0 - n) % n; /* 2^64 mod n */
    do
        drawn = luck_next(luck);
    while (drawn < uneven);
    return drawn % n;
}

/* ---- Reading msgpack */

enum kind { NOTHING, NIL, BOOL, INT, REAL, TEXT, BYTES, LIST, MAP, CUT_SHORT };

struct value {
    enum kind kind;
    const unsigned char *body, *end; /* of text: its bytes; of a list or map: its first item */
    size_t size;                     /* bytes of a text, items of a list, entries of a map */
    long long whole;
    double real;
};

static inline uint64_t big_endian(const unsigned char *at, int width) {
    uint64_t bits = 0;
    while (width--)
        bits = bits << 8 | *at++;
    return bits;
}

static inline double as_real(uint64_t bits, int width) {
    double real;
    float single;
    uint32_t half = (uint32_t)bits;
    memcpy(&real, &bits, sizeof real);
    memcpy(&single, &half, sizeof single);
    return width == 8 ? real : single;
}

static inline long long as_signed(uint64_t bits, int width) {
    int unused = 64 - 8 * width;
    return (long long)(bits << unused) >> unused;
}

/* What a value with a first byte from 0xc0 to 0xdf is, and how many bytes follow that say more. */
static const struct {
    unsigned char kind, width;
} HEADS[32] = {
    {NIL, 0},   {CUT_SHORT, 0}, {BOOL, 0},  {BOOL, 0},  {BYTES, 1}, {BYTES, 2}, {BYTES, 4}, {BYTES, 1},
    {BYTES, 2}, {BYTES, 4},     {REAL, 4},  {REAL, 8},  {INT, 1},   {INT, 2},   {INT, 4},   {INT, 8},
    {INT, 1},   {INT, 2},       {INT, 4},   {INT, 8},   {BYTES, 0}, {BYTES, 0}, {BYTES, 0}, {BYTES, 0},
    {BYTES, 0}, {TEXT, 1},      {TEXT, 2},  {TEXT, 4},  {LIST, 2},  {LIST, 4},  {MAP, 2},   {MAP, 4},
};

/* The value whose first byte this is: CUT_SHORT if its end, or for a list or map its beginning, is missing. */
static inline struct value value_at(const unsigned char *at, const unsigned char *end) {
    struct value value = {CUT_SHORT, at, end, 0, 0, 0};
    if (at >= end)
        return value;
    unsigned head = *at++;
    int kind = INT, width = 0;
    value.body = at;
    if (head < 0x80 || head >= 0xe0) {
        value.kind = INT;
        value.whole = (signed char)head;
        return value;
    }
    if (head < 0xc0) {
        kind = head < 0x90 ? MAP : head < 0xa0 ? LIST : TEXT;
        value.size = head & (kind == TEXT ? 31 : 15);
    } else {
        kind = HEADS[head - 0xc0].kind;
        width = HEADS[head - 0xc0].width;
        if (end - at < width)
            return value;
        uint64_t bits = big_endian(at, width);
        value.body = at += width;
        if (kind == BOOL)
            value.whole = head & 1;
        else if (kind == REAL)
            value.real = as_real(bits, width);
        else if (kind == INT)
            value.whole = head >= 0xd0 ? as_signed(bits, width) : (long long)bits;
        else
            value.size = (size_t)bits;
        if (head >= 0xc7 && head <= 0xc9)
            value.size += 1; /* an extension has one more byte: its type */
        if (head >= 0xd4 && head <= 0xd8)
            value.size = 1 + ((size_t)1 << (head - 0xd4));
    }
    if ((kind == TEXT || kind == BYTES) && (size_t)(end - at) < value.size)
        return value;
    value.kind = kind;
    return value;
}

/* Where the next value begins; NULL if the end of this one is missing. */
static inline const unsigned char *after(struct value value) {
    for (uint64_t left = 0;; left--) {
        if (value.kind == CUT_SHORT)
            return NULL;
        if (value.kind == TEXT || value.kind == BYTES)
            value.body += value.size;
        else if (value.kind == LIST || value.kind == MAP)
            left += value.kind == MAP ? 2 * (uint64_t)value.size : value.size;
        if (!left)
            return value.body;
        value = value_at(value.body, value.end);
    }
}

static inline int is_text(struct value value, const char *text) {
    return value.kind == TEXT && value.size == strlen(text) && !memcmp(value.body, text, value.size);
}

static inline long long number(struct value value) {
    return value.kind == REAL ? (long long)value.real : value.whole;
}

static inline struct value item(struct value list, size_t number) {
    struct value nothing = {NOTHING, NULL, NULL, 0, 0, 0};
    if (list.kind != LIST || number >= list.size)
        return nothing;
    struct value value = value_at(list.body, list.end);
    while (number--)
        value = value_at(after(value), list.end);
    return value;
}

static inline struct value find(struct value map, const char *key) {
    struct value nothing = {NOTHING, NULL, NULL, 0, 0, 0};
    const unsigned char *at = map.body;
    for (size_t i = 0; map.kind == MAP && i < map.size; i++) {
        struct value name = value_at(at, map.end), value = value_at(after(name), map.end);
        if (is_text(name, key))
            return value;
        at = after(value);
    }
    return nothing;
}

/* ---- A decision to make, and the match it belongs to */

/* What a bot can want to be told: WANTS_VIEW | WANTS_NEWS is all there is. Without the rest, matches are quicker. */
enum { WANTS_NOTHING = 0, WANTS_VIEW = 1, WANTS_NEWS = 2 };

struct request {
    struct value start, decide; /* both messages, as protocol/SPEC.md has them */
    struct value view, events;  /* NOTHING unless the bot wants the view, the news */
    struct value moves;
    size_t seat, seats;
    struct luck luck;
    char note[256]; /* write here what you think of your choice, for people */
};

/* ---- The conversation */

struct buffer {
    unsigned char *bytes;
    size_t size, room;
};

static inline void append(struct buffer *buffer, const void *bytes, size_t size) {
    if (buffer->room - buffer->size < size) {
        buffer->room = 2 * buffer->room + size;
        buffer->bytes = realloc(buffer->bytes, buffer->room);
        if (!buffer->bytes)
            abort();
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static inline void append_text(struct buffer *buffer, const char *text) {
    size_t size = strlen(text) < 256 ? strlen(text) : 255;
    unsigned char head[] = {0xd9, (unsigned char)size};
    append(buffer, head, 2);
    append(buffer, text, size);
}

static inline void append_field(struct buffer *buffer, const char *key, unsigned long value) {
    unsigned char whole[] = {0xce, (unsigned char)(value >> 24), (unsigned char)(value >> 16),
                             (unsigned char)(value >> 8), (unsigned char)value};
    append_text(buffer, key);
    append(buffer, whole, 5);
}

static inline void open_message(struct buffer *buffer, unsigned fields, const char *type) {
    unsigned char head = (unsigned char)(0x80 | fields);
    buffer->size = 0;
    append(buffer, &head, 1);
    append_text(buffer, "type");
    append_text(buffer, type);
}

static inline void append_hello(struct buffer *buffer, const char *name, unsigned wants) {
    unsigned view = wants & WANTS_VIEW ? 1 : 0, news = wants & WANTS_NEWS ? 1 : 0;
    unsigned char list = (unsigned char)(0x90 | (view + news));
    open_message(buffer, 4, "hello");
    append_field(buffer, "protocol", 1);
    append_text(buffer, "name");
    append_text(buffer, name);
    append_text(buffer, "wants");
    append(buffer, &list, 1);
    if (view)
        append_text(buffer, "view");
    if (news)
        append_text(buffer, "news");
}

/* Where messages come from and go to: other descriptors if DALANG_FDS names them, because the bot is debugged. */
static int referee_in = STDIN_FILENO, referee_out = STDOUT_FILENO;

static inline void find_referee(void) {
    const char *named = getenv("DALANG_FDS");
    if (named && sscanf(named, "%d,%d", &referee_in, &referee_out) != 2)
        exit(1);
}

static inline void say(const struct buffer *message) {
    size_t done = 0;
    while (done < message->size) {
        ssize_t written = write(referee_out, message->bytes + done, message->size - done);
        if (written <= 0)
            exit(1);
        done += (size_t)written;
    }
}

/* Forget the last message, and read until the next one is complete; NOTHING when the line is closed. */
static inline struct value hear(struct buffer *inbox, size_t *used) {
    static unsigned char chunk[65536];
    inbox->size -= *used;
    memmove(inbox->bytes, inbox->bytes + *used, inbox->size);
    for (;;) {
        struct value message = value_at(inbox->bytes, inbox->bytes + inbox->size);
        const unsigned char *end = after(message);
        if (end) {
            *used = (size_t)(end - inbox->bytes);
            return message;
        }
        ssize_t size = read(referee_in, chunk, sizeof chunk);
        if (size <= 0) {
            message.kind = NOTHING;
            return message;
        }
        append(inbox, chunk, (size_t)size);
    }
}

static inline void begin(struct request *request, struct buffer *kept, const void *start, size_t size) {
    kept->size = 0; /* the message must last as long as the match */
    append(kept, start, size);
    memset(request, 0, sizeof *request);
    request->start = value_at(kept->bytes, kept->bytes + kept->size);
    struct value seed = find(request->start, "seed");
    request->luck = luck_of(seed.body, seed.size);
    request->seat = (size_t)number(find(request->start, "seat"));
    request->seats = (size_t)number(find(request->start, "seats"));
}

static inline void decide(struct request *request, struct value question) {
    request->decide = question;
    request->view = find(question, "view");
    request->events = find(question, "events");
    request->moves = find(question, "moves");
    request->note[0] = 0;
}

/* Play until the referee says goodbye. */
static inline int run(const char *name, unsigned wants, unsigned (*choose)(struct request *)) {
    struct buffer inbox = {0}, outbox = {0}, kept = {0};
    struct request request = {0};
    size_t used = 0;

    append(&inbox, "", 1); /* so that there is a buffer */
    inbox.size = 0;
    append_hello(&outbox, name, wants);
    find_referee();
    say(&outbox);
    for (;;) {
        struct value message = hear(&inbox, &used), type = find(message, "type");
        if (message.kind == NOTHING || is_text(type, "bye"))
            return 0;
        if (is_text(type, "start")) {
            begin(&request, &kept, inbox.bytes, used);
            open_message(&outbox, 1, "ready");
            say(&outbox);
        } else if (is_text(type, "decide")) {
            decide(&request, message);
            unsigned move = choose(&request);
            open_message(&outbox, request.note[0] ? 4 : 3, "move");
            append_field(&outbox, "id", (unsigned long)number(find(message, "id")));
            append_field(&outbox, "move", move);
            if (request.note[0]) {
                append_text(&outbox, "note");
                append_text(&outbox, request.note);
            }
            say(&outbox);
        }
    }
}

#endif
