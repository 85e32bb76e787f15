//! Write a bot in Rust: give `run` a function that returns the number of a move, and say what that function reads.
//! The rest is the protocol.
//!
//! What differs by game stays a msgpack value, and typed getters find things in it: `request.view.number("loot")`,
//! `request.view.numbers("wealth")[request.seat]`. What is not there, or is something else, is a panic that says so.

#![allow(dead_code)] // no bot uses all of it

use rmpv::{decode, encode, Value};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Write};

pub type Result = std::result::Result<(), Box<dyn std::error::Error>>;

// ---- Luck

/// The generator of protocol/SPEC.md: use no other, and your bot is reproducible.
pub struct Luck(u64);

impl Luck {
    /// FNV-1a of the seed.
    pub fn of(seed: &str) -> Luck {
        let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(1099511628211);
        Luck(seed.bytes().fold(14695981039346656037, mix))
    }

    /// splitmix64
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }

    /// A number below n, each as likely as the others: what would favour the low ones is drawn again.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        let uneven = n.wrapping_neg() % n; // 2^64 mod n
        loop {
            let drawn = self.next();
            if drawn >= uneven {
                return (drawn % n) as usize;
            }
        }
    }
}

// ---- A decision to make, and the match it belongs to

/// What a bot can want to be told. Without the rest, matches are quicker.
pub const VIEW: &str = "view";
pub const NEWS: &str = "news";

pub struct Request {
    pub game: String,
    pub seat: usize,
    pub seats: usize,
    pub luck: Luck,
    /// The message `start`, as protocol/SPEC.md has it: options, limits, ...
    pub start: Value,
    /// The message `decide`: clock, and if the bot wants the news, events.
    pub decide: Value,
    pub decision: String,
    /// Nil unless the bot wants it.
    pub view: Value,
    pub moves: Vec<Value>,
    /// Set it to tell people what you think of your choice.
    pub note: String,
}

impl Request {
    fn of(start: Value) -> Request {
        Request {
            game: start.text("game").to_string(),
            seat: start.count("seat"),
            seats: start.count("seats"),
            luck: Luck::of(start.text("seed")),
            start,
            decide: Value::Nil,
            decision: String::new(),
            view: Value::Nil,
            moves: Vec::new(),
            note: String::new(),
        }
    }

    fn take(&mut self, decide: Value) {
        self.decision = decide.text("decision").to_string();
        self.view = decide["view"].clone();
        self.moves = decide["moves"].as_array().cloned().unwrap_or_default();
        self.note.clear();
        self.decide = decide;
    }

    /// The number of the first move with this verb.
    pub fn named(&self, wanted: &str) -> usize {
        let found = self.moves.iter().position(|each| verb(each) == wanted);
        found.unwrap_or_else(|| panic!("there is no move {wanted}"))
    }
}

// ---- Typed getters

/// What a map holds; the fields of `request.view`, `request.start` and `request.decide` are on protocol/SPEC.md.
pub trait Fields {
    /// Any field; nil if there is none.
    fn at(&self, key: &str) -> &Value;

    fn number(&self, key: &str) -> i64 {
        self.at(key)
            .as_i64()
            .unwrap_or_else(|| refuse(self.at(key), key))
    }

    /// A number that counts something, or a place in a list.
    fn count(&self, key: &str) -> usize {
        usize::try_from(self.number(key)).unwrap_or_else(|_| refuse(self.at(key), key))
    }

    /// A number that may have a fraction.
    fn real(&self, key: &str) -> f64 {
        self.at(key)
            .as_f64()
            .unwrap_or_else(|| refuse(self.at(key), key))
    }

    fn text(&self, key: &str) -> &str {
        self.at(key)
            .as_str()
            .unwrap_or_else(|| refuse(self.at(key), key))
    }

    fn list(&self, key: &str) -> &[Value] {
        self.at(key)
            .as_array()
            .unwrap_or_else(|| refuse(self.at(key), key))
    }

    fn numbers(&self, key: &str) -> Vec<i64> {
        let read = |value: &Value| value.as_i64().unwrap_or_else(|| refuse(value, key));
        self.list(key).iter().map(read).collect()
    }

    fn reals(&self, key: &str) -> Vec<f64> {
        let read = |value: &Value| value.as_f64().unwrap_or_else(|| refuse(value, key));
        self.list(key).iter().map(read).collect()
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        self.list(key)
            .iter()
            .map(|value| value.as_str().unwrap_or_else(|| refuse(value, key)))
            .collect()
    }
}

impl Fields for Value {
    fn at(&self, key: &str) -> &Value {
        &self[key]
    }
}

/// What a move is called; its arguments are its items from 1 on.
pub fn verb(choice: &Value) -> &str {
    choice[0]
        .as_str()
        .unwrap_or_else(|| refuse(choice, "a move"))
}

fn refuse(value: &Value, what: &str) -> ! {
    panic!("{what} is {value}: not there, or something else")
}

// ---- The conversation

/// Play until the referee says goodbye.
pub fn run(name: &str, wants: &[&str], choose: impl Fn(&mut Request) -> usize) -> Result {
    let (input, mut output) = line()?;
    let mut input = BufReader::new(input);
    let mut request = None;
    let wants = Value::Array(wants.iter().map(|&word| word.into()).collect());
    let hello = vec![
        ("protocol", 1.into()),
        ("name", name.into()),
        ("wants", wants),
    ];
    say(&mut output, "hello", hello)?;
    loop {
        let message = match decode::read_value(&mut input) {
            Ok(message) => message,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        match (message["type"].as_str(), &mut request) {
            (Some("start"), _) => {
                request = Some(Request::of(message));
                say(&mut output, "ready", vec![])?;
            }
            (Some("decide"), Some(request)) => {
                request.take(message);
                let choice = choose(request) as u64;
                let id = request.decide["id"].clone();
                let mut fields = vec![("id", id), ("move", choice.into())];
                if !request.note.is_empty() {
                    fields.push(("note", request.note.as_str().into()));
                }
                say(&mut output, "move", fields)?;
            }
            (Some("bye"), _) => return Ok(()),
            _ => {}
        }
    }
}

type Line = (Box<dyn Read>, Box<dyn Write>);

/// Where messages come from and go to: other descriptors if DALANG_FDS names them, because the bot is debugged.
fn line() -> io::Result<Line> {
    let named = std::env::var("DALANG_FDS").unwrap_or_default();
    Ok(match named.split_once(',') {
        Some((from, to)) => (
            Box::new(File::open(format!("/dev/fd/{from}"))?),
            Box::new(OpenOptions::new().write(true).open(format!("/dev/fd/{to}"))?),
        ),
        None => (Box::new(io::stdin()), Box::new(io::stdout())),
    })
}

fn say(output: &mut dyn Write, kind: &str, fields: Vec<(&str, Value)>) -> Result {
    let pairs = [("type", kind.into())].into_iter().chain(fields);
    let message = Value::Map(pairs.map(|(key, value)| (key.into(), value)).collect());
    let mut bytes = Vec::new();
    encode::write_value(&mut bytes, &message)?;
    output.write_all(&bytes)?;
    output.flush()?;
    Ok(())
}
