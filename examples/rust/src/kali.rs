//! *Die Augen der Kali*: do what leaves the largest share of the gems, on average.
//!
//! All cards still to come are known, so the average over all that can follow in this turn is exact;
//! what later turns bring is guessed. § marks: `dalang rules kali`.

use crate::kit::{Fields, Request};

const STEPS: [&str; 4] = ["step1", "step2", "step3", "step4"];
const LAST_FIELD: usize = 18;
/// Gems that everybody may still win in later turns: the more, the less a fine matters now.
const HOPE: f64 = 40.0;

pub fn choose(request: &mut Request) -> usize {
    let (verbs, worths) = match request.decision.as_str() {
        "go_on" => (["draw", "stop"], draw_or_stop(request)),
        "takeover" => (["take_over", "decline"], take_over_or_decline(request)),
        _ => return 0, // §3.3: there is no choice
    };
    let best = usize::from(worths[1] > worths[0]);
    request.note = format!("{:.3} against {:.3}", worths[best], worths[1 - best]);
    request.named(verbs[best])
}

fn draw_or_stop(request: &Request) -> [f64; 2] {
    let turn = Turn::of(request, &wealth(request));
    [
        turn.dare_now(request),
        turn.keep(request.view.real("loot")),
    ]
}

fn take_over_or_decline(request: &Request) -> [f64; 2] {
    let (view, stopper) = (&request.view, request.view.count("acting"));
    let mut paid = wealth(request);
    let mut declined = paid.clone();
    paid[request.seat] -= view.real("price"); // §8.4
    paid[stopper] += view.real("price");
    declined[stopper] += view.real("loot"); // §5.2
    let turn = Turn::of(request, &paid);
    [
        turn.dare_now(request),
        Turn::of(request, &declined).keep(0.0),
    ]
}

/// What stays the same as long as the slave goes on.
struct Turn {
    mine: f64,
    /// What the richest of the others has.
    rival: f64,
    /// In the temple and on the board together.
    gems: f64,
    /// What each field yields.
    fields: Vec<f64>,
    noises: f64,
    frights: f64,
    /// What it is worth to meet one.
    noise: f64,
    fright: f64,
}

impl Turn {
    fn of(request: &Request, wealth: &[f64]) -> Turn {
        let (view, woken) = (&request.view, request.view.count("frights") > 0);
        let mine = wealth[request.seat];
        let others = (0..wealth.len()).filter(|&seat| seat != request.seat);
        let rival = others.fold(0.0, |most, seat| wealth[seat].max(most));
        let yields = if woken { 2.0 } else { 1.0 }; // §7.3
        let values = request.start.at("options").reals("fields");
        Turn {
            mine,
            rival,
            gems: view.real("temple") + view.real("loot"),
            fields: values.iter().map(|gems| yields * gems).collect(),
            noises: view.at("deck").real("noise"),
            frights: view.at("deck").real("fright"),
            noise: share(if woken { mine / 2.0 } else { mine * 0.75 }, rival), // §6.2
            fright: if woken { 0.0 } else { share(mine / 2.0, rival) },        // §7.2, §10.2
        }
    }

    /// What it is worth to have the loot.
    fn keep(&self, loot: f64) -> f64 {
        share(self.mine + loot, self.rival)
    }

    fn dare_now(&self, request: &Request) -> f64 {
        let view = &request.view;
        let mut steps = STEPS.map(|card| view.at("deck").real(card));
        self.dare(view.count("field"), view.real("loot"), &mut steps)
    }

    /// What it is worth, on average, to turn one more card and then to do what is best.
    fn dare(&self, field: usize, loot: f64, steps: &mut [f64; 4]) -> f64 {
        let cards = steps.iter().sum::<f64>() + self.noises + self.frights;
        let mut sum = self.noises * self.noise + self.frights * self.fright;
        for step in 0..4 {
            let left = steps[step];
            if left > 0.0 {
                steps[step] -= 1.0;
                sum += left * self.arrive(field + step + 1, loot, steps);
                steps[step] += 1.0;
            }
        }
        sum / cards
    }

    fn arrive(&self, field: usize, loot: f64, steps: &mut [f64; 4]) -> f64 {
        if field > LAST_FIELD {
            return f64::from(self.mine + self.gems > self.rival); // §9.4, §10.1
        }
        let loot = self.gems.min(loot + self.fields[field - 1]); // §4.2, §4.6
        self.keep(loot).max(self.dare(field, loot, steps))
    }
}

/// How good it is to have so much when the richest of the others has so much.
fn share(mine: f64, rival: f64) -> f64 {
    (mine + HOPE) / (mine + rival + 2.0 * HOPE)
}

fn wealth(request: &Request) -> Vec<f64> {
    request.view.reals("wealth")
}
