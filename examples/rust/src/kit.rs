//! Write a bot in Rust: give `run` a function that returns the number of a move, and say what that function reads.
//! The rest is the protocol.
//!
//! What differs by game stays a msgpack value: `request.view["wealth"][request.seat].as_i64()`.

#![allow(dead_code)] // no bot uses all of it

use rmpv::{decode, encode, Value};
use std::io::{self, BufReader, ErrorKind, Write};

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
            game: text(&start["game"]),
            seat: number(&start["seat"]),
            seats: number(&start["seats"]),
            luck: Luck::of(&text(&start["seed"])),
            start,
            decide: Value::Nil,
            decision: String::new(),
            view: Value::Nil,
            moves: Vec::new(),
            note: String::new(),
        }
    }

    fn take(&mut self, decide: Value) {
        self.decision = text(&decide["decision"]);
        self.view = decide["view"].clone();
        self.moves = decide["moves"].as_array().cloned().unwrap_or_default();
        self.note.clear();
        self.decide = decide;
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

pub fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_default() as usize
}

// ---- The conversation

/// Play until the referee says goodbye.
pub fn run(name: &str, wants: &[&str], choose: impl Fn(&mut Request) -> usize) -> Result {
    let mut input = BufReader::new(io::stdin().lock());
    let mut request = None;
    let wants = Value::Array(wants.iter().map(|&word| word.into()).collect());
    let hello = vec![
        ("protocol", 1.into()),
        ("name", name.into()),
        ("wants", wants),
    ];
    say("hello", hello)?;
    loop {
        let message = match decode::read_value(&mut input) {
            Ok(message) => message,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        match (message["type"].as_str(), &mut request) {
            (Some("start"), _) => {
                request = Some(Request::of(message));
                say("ready", vec![])?;
            }
            (Some("decide"), Some(request)) => {
                request.take(message);
                let choice = choose(request) as u64;
                let id = request.decide["id"].clone();
                let mut fields = vec![("id", id), ("move", choice.into())];
                if !request.note.is_empty() {
                    fields.push(("note", request.note.as_str().into()));
                }
                say("move", fields)?;
            }
            (Some("bye"), _) => return Ok(()),
            _ => {}
        }
    }
}

fn say(kind: &str, fields: Vec<(&str, Value)>) -> Result {
    let pairs = [("type", kind.into())].into_iter().chain(fields);
    let message = Value::Map(pairs.map(|(key, value)| (key.into(), value)).collect());
    let mut bytes = Vec::new();
    encode::write_value(&mut bytes, &message)?;
    let mut output = io::stdout().lock();
    output.write_all(&bytes)?;
    output.flush()?;
    Ok(())
}
