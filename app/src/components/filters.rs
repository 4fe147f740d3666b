//! Which cards the live page shows. The choice lives in the address, so it works without scripts and can be shared.

use domain::band::State;
use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;

/// A choice of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Everything.
    #[default]
    All,
    /// Cards in one of these states.
    Free,
    /// The viewer's.
    Mine,
    /// Somebody else's.
    Booked,
    /// Booked, nothing runs.
    Idle,
    /// Used without a booking.
    Rogue,
    /// Out of order, silent or closed.
    Off,
}

impl Show {
    /// In the order of the page.
    pub const ALL: [Self; 7] = [Self::All, Self::Free, Self::Mine, Self::Booked, Self::Idle, Self::Rogue, Self::Off];

    /// The word in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Free => "free",
            Self::Mine => "mine",
            Self::Booked => "reserved",
            Self::Idle => "idle",
            Self::Rogue => "unbooked",
            Self::Off => "off",
        }
    }

    /// Reads it; anything else shows everything.
    #[must_use]
    pub fn parse(word: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|show| Some(show.word()) == word).unwrap_or_default()
    }

    /// Whether a card in that state is shown.
    #[must_use]
    pub fn admits(self, state: State) -> bool {
        match self {
            Self::All => true,
            Self::Free => state == State::Free,
            Self::Mine => state == State::Mine,
            Self::Booked => state == State::Booked,
            Self::Idle => state == State::Idle,
            Self::Rogue => state == State::Rogue,
            Self::Off => matches!(state, State::Sick | State::Stale | State::Maint),
        }
    }

    fn label(self) -> (&'static str, &'static str, Option<&'static str>) {
        let words = &t().now;
        match self {
            Self::All => (words.all_cards, "now", None),
            Self::Free => (words.f_free, "free", Some("free")),
            Self::Mine => (words.f_mine, "mine", Some("mine")),
            Self::Booked => (words.f_booked, "user", None),
            Self::Idle => (words.f_idle, "idle", Some("idle")),
            Self::Rogue => (words.f_rogue, "rogue", Some("rogue")),
            Self::Off => (words.f_off, "sick", None),
        }
    }
}

/// Address of the page with a choice.
#[must_use]
pub fn address(show: Show, host: &str) -> String {
    let show = if show == Show::All { String::new() } else { format!("show={}", show.word()) };
    // Host names are plain: nothing in them needs to be escaped.
    let host = if host.is_empty() { String::new() } else { format!("host={host}") };
    match (show.is_empty(), host.is_empty()) {
        (true, true) => "/".to_owned(),
        (false, false) => format!("/?{show}&{host}"),
        _ => format!("/?{show}{host}"),
    }
}

/// One link for each choice, with the number of its cards.
pub fn chips(chosen: Show, host: &str, states: &[State]) -> AnyView {
    let chip = |show: Show| {
        let (label, icon, tone) = show.label();
        let count = states.iter().filter(|state| show.admits(**state)).count();
        view! {
            <a
                class="chip"
                data-tone=tone
                href=address(show, host)
                aria-current=(chosen == show).then_some("true")
            >
                {(show != Show::All).then(|| view! { <Icon name=icon small=true /> })}
                <b data-count=show.word()>{count}</b>
                {label}
            </a>
        }
        .into_any()
    };
    Show::ALL.into_iter().map(chip).collect_view().into_any()
}

/// A select that sends itself, or with its button where no script runs.
pub fn host_choice(chosen: Show, host: &str, names: &[String]) -> AnyView {
    let words = &t().now;
    let options = names.iter().map(|name| {
        view! {
            <option value=name.clone() selected=name == host>
                {name.clone()}
            </option>
        }
    });
    view! {
        <form method="get" action="/" class="end">
            <input type="hidden" name="show" value=chosen.word() />
            <select class="input ghost" name="host" autocomplete="off" aria-label=words.host data-sends="">
                <option value="">{(words.all_hosts)(names.len())}</option>
                {options.collect_view()}
            </select>
            <button class="btn unscripted">{words.show}</button>
        </form>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_exactly_one_choice_besides_all() {
        // What is cut into instances counts for nothing; its instances do.
        assert_eq!(Show::ALL.into_iter().filter(|show| show.admits(State::Cut)).count(), 1);
        let states = [
            State::Stale,
            State::Sick,
            State::Maint,
            State::Rogue,
            State::Idle,
            State::Mine,
            State::Booked,
            State::Free,
        ];
        for state in states {
            assert_eq!(Show::ALL.into_iter().filter(|show| show.admits(state)).count(), 2, "{state:?}");
        }
    }

    #[test]
    fn the_address_says_the_choice() {
        assert_eq!(address(Show::All, ""), "/");
        assert_eq!(address(Show::Free, ""), "/?show=free");
        assert_eq!(address(Show::All, "dgx"), "/?host=dgx");
        assert_eq!(address(Show::Free, "dgx"), "/?show=free&host=dgx");
        for show in Show::ALL {
            assert_eq!(Show::parse(Some(show.word())), show);
        }
        assert_eq!(Show::parse(Some("nonsense")), Show::All);
    }
}
