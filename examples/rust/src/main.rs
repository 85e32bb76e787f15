//! Kali by exact odds, the other games at random: change `choose`, and ask for what it reads, `&[kit::VIEW, kit::NEWS]`.

mod kali;
mod kit;

fn choose(request: &mut kit::Request) -> usize {
    match request.game.as_str() {
        "kali" => kali::choose(request),
        _ => request.luck.below(request.moves.len()),
    }
}

fn main() -> kit::Result {
    kit::run("rust", &[kit::VIEW], choose)
}
