// Write a bot in Go: give Run a function that returns the number of a move, and say what that function reads.
// The rest of this file is the protocol.

package main

import (
	"bytes"
	"errors"
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

// Request is one decision to make, and the match it belongs to.
//
// What differs by game is plain data: whole numbers are int64 (or uint64 beyond it), the rest string, bool,
// float64, []any or map[string]any.
type Request struct {
	Game    string         `msgpack:"game"`
	Seats   int            `msgpack:"seats"`
	Seat    int            `msgpack:"seat"`
	Options map[string]any `msgpack:"options"`
	Limits  map[string]any `msgpack:"limits"`
	Seed    string         `msgpack:"seed"`
	Luck    Luck           `msgpack:"-"`

	ID       int                `msgpack:"id"`
	Decision string             `msgpack:"decision"`
	Events   []map[string]any   `msgpack:"events"` // what happened since you were last asked, if you want News
	View     map[string]any     `msgpack:"view"`   // where you stand, if you want it
	Moves    [][]any            `msgpack:"moves"`
	Clock    map[string]float64 `msgpack:"clock"` // nil if the organiser shows no time
	Note     string             `msgpack:"-"`     // set it to tell people what you think of your choice
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

// Run plays until the referee says goodbye.
func Run(name string, wants Wants, choose func(*Request) int) {
	in := msgpack.NewDecoder(os.Stdin)
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
	_, err = os.Stdout.Write(data)
	must(err)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
