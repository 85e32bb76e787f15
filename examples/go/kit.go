// Write a bot in Go: give Run a function that returns the number of a move, and say what that function reads.
// The rest of this file is the protocol.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/vmihailenco/msgpack/v5"
)

// Wants is what a bot can want to be told. Without the rest, matches are quicker.
type Wants struct {
	View, News bool
}

// words are never nil: that would ask for everything.
func (wants Wants) words() []string {
	words := []string{}
	if wants.View {
		words = append(words, "view")
	}
	if wants.News {
		words = append(words, "news")
	}
	return words
}

// Fields is what differs by game: plain data, to be had by typed getters. What is not there, or is something else, is a
// panic that says so. Without them whole numbers are int64 (or uint64 beyond it), never int; the rest is string, bool,
// float64, []any or map[string]any.
type Fields map[string]any

// Int is a whole number: request.View.Int("loot").
func (fields Fields) Int(key string) int { return whole(fields.at(key), key) }

// Ints is a list of whole numbers: request.View.Ints("wealth")[request.Seat].
func (fields Fields) Ints(key string) []int { return each(fields.List(key), key, whole) }

// Real is a number that may have a fraction.
func (fields Fields) Real(key string) float64 {
	if real, ok := fields.at(key).(float64); ok {
		return real
	}
	return float64(fields.Int(key))
}

func (fields Fields) Bool(key string) bool { return typed[bool](fields.at(key), key) }

func (fields Fields) Text(key string) string { return typed[string](fields.at(key), key) }

func (fields Fields) Texts(key string) []string { return each(fields.List(key), key, typed[string]) }

func (fields Fields) List(key string) []any { return typed[[]any](fields.at(key), key) }

// Map is a map in the map: request.View.Map("deck").Int("noise").
func (fields Fields) Map(key string) Fields { return typed[map[string]any](fields.at(key), key) }

// Maps is a list of maps.
func (fields Fields) Maps(key string) []Fields {
	return each(fields.List(key), key, func(value any, key string) Fields { return typed[map[string]any](value, key) })
}

func (fields Fields) at(key string) any {
	value, there := fields[key]
	if !there {
		panic(fmt.Sprintf("there is no field %q; does the bot want the view, the news?", key))
	}
	return value
}

func whole(value any, key string) int {
	if large, ok := value.(uint64); ok {
		return int(large)
	}
	return int(typed[int64](value, key))
}

func typed[T any](value any, key string) T {
	found, ok := value.(T)
	if !ok {
		panic(fmt.Sprintf("%s is %v (%T), not %T", key, value, value, found))
	}
	return found
}

func each[T any](values []any, key string, read func(any, string) T) []T {
	found := make([]T, len(values))
	for number, value := range values {
		found[number] = read(value, key)
	}
	return found
}

// Move is a verb and its arguments.
type Move []any

func (move Move) Verb() string { return move.Text(0) }

func (move Move) Text(number int) string { return typed[string](move[number], "a part of the move") }

func (move Move) Int(number int) int { return whole(move[number], "a part of the move") }

// Request is one decision to make, and the match it belongs to.
type Request struct {
	Game    string `msgpack:"game"`
	Seats   int    `msgpack:"seats"`
	Seat    int    `msgpack:"seat"`
	Options Fields `msgpack:"options"`
	Limits  Fields `msgpack:"limits"`
	Seed    string `msgpack:"seed"`
	Luck    Luck   `msgpack:"-"`

	ID       int                `msgpack:"id"`
	Decision string             `msgpack:"decision"`
	Events   []Fields           `msgpack:"events"` // what happened since you were last asked, if you want News
	View     Fields             `msgpack:"view"`   // where you stand, if you want it
	Moves    []Move             `msgpack:"moves"`
	Clock    map[string]float64 `msgpack:"clock"` // nil if the organiser shows no time
	Note     string             `msgpack:"-"`     // set it to tell people what you think of your choice
}

// Named is the number of the first move with this verb.
func (request *Request) Named(verb string) int {
	for number, move := range request.Moves {
		if move.Verb() == verb {
			return number
		}
	}
	panic(fmt.Sprintf("there is no move %q", verb))
}

// Luck is the generator of protocol/SPEC.md: use no other, and your bot is reproducible.
type Luck uint64

// LuckOf hashes the seed with FNV-1a.
func LuckOf(seed string) Luck {
	state := uint64(14695981039346656037)
	for _, b := range []byte(seed) {
		state = (state ^ uint64(b)) * 1099511628211
	}
	return Luck(state)
}

// Next is splitmix64.
func (luck *Luck) Next() uint64 {
	*luck += 0x9e3779b97f4a7c15
	z := uint64(*luck)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below draws a number from 0 to n-1, each as likely as the others: what would favour the low ones is drawn again.
func (luck *Luck) Below(n int) int {
	uneven := -uint64(n) % uint64(n) // 2^64 mod n
	drawn := luck.Next()
	for drawn < uneven {
		drawn = luck.Next()
	}
	return int(drawn % uint64(n))
}

type hello struct {
	Type     string   `msgpack:"type"`
	Protocol int      `msgpack:"protocol"`
	Name     string   `msgpack:"name"`
	Wants    []string `msgpack:"wants"`
}

type ready struct {
	Type string `msgpack:"type"`
}

type move struct {
	Type string `msgpack:"type"`
	ID   int    `msgpack:"id"`
	Move int    `msgpack:"move"`
	Note string `msgpack:"note,omitempty"`
}

// in and out are where messages come from and go to: other descriptors if DALANG_FDS names them, because the bot is
// debugged.
var in, out = line(os.Getenv("DALANG_FDS"))

func line(named string) (*os.File, *os.File) {
	if named == "" {
		return os.Stdin, os.Stdout
	}
	var from, to uintptr
	_, err := fmt.Sscanf(named, "%d,%d", &from, &to)
	must(err)
	return os.NewFile(from, "from the referee"), os.NewFile(to, "to the referee")
}

// Run plays until the referee says goodbye.
func Run(name string, wants Wants, choose func(*Request) int) {
	in := msgpack.NewDecoder(in)
	say(hello{"hello", 1, name, wants.words()})
	var match Request
	for {
		message, err := in.DecodeRaw()
		if errors.Is(err, io.EOF) {
			return
		}
		must(err)
		var kind struct {
			Type string `msgpack:"type"`
		}
		read(message, &kind)
		switch kind.Type {
		case "start":
			match = Request{}
			read(message, &match)
			match.Luck = LuckOf(match.Seed)
			say(ready{"ready"})
		case "decide":
			match.take(message)
			chosen := choose(&match)
			say(move{"move", match.ID, chosen, match.Note})
		case "bye":
			return
		}
	}
}

// take forgets the last question, for what is absent from this one is not to be seen in it.
func (match *Request) take(decide msgpack.RawMessage) {
	match.Events, match.View, match.Moves, match.Clock, match.Note = nil, nil, nil, nil, ""
	read(decide, match)
}

func read(message msgpack.RawMessage, into any) {
	decoder := msgpack.NewDecoder(bytes.NewReader(message))
	decoder.UseLooseInterfaceDecoding(true)
	must(decoder.Decode(into))
}

func say(message any) {
	data, err := msgpack.Marshal(message)
	must(err)
	_, err = out.Write(data)
	must(err)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
