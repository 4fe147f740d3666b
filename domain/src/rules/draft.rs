//! A rule as an administrator types it: text of form fields.

use serde::{Deserialize, Serialize};

use super::{BadLimit, LABEL_MAX_CHARS, Limit, NAME_MAX_CHARS, Period, Rule, hours, label, name};
use crate::draft::spoken::length;
use crate::error::Field;
use crate::wire::rules::RuleAsk;

/// What kinds of limits there are, in the order in which they are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`Limit::Longest`].
    Longest,
    /// [`Limit::Shortest`].
    Shortest,
    /// [`Limit::Horizon`].
    Horizon,
    /// [`Limit::MostCards`].
    MostCards,
    /// [`Limit::Far`].
    Far,
    /// [`Limit::GpuHours`].
    GpuHours,
    /// [`Limit::Hours`].
    Hours,
    /// [`Limit::Approval`].
    Approval,
    /// [`Limit::Idle`].
    Idle,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Longest,
        Self::Shortest,
        Self::Horizon,
        Self::MostCards,
        Self::Far,
        Self::GpuHours,
        Self::Hours,
        Self::Approval,
        Self::Idle,
    ];

    /// As a form holds it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Longest => "longest",
            Self::Shortest => "shortest",
            Self::Horizon => "horizon",
            Self::MostCards => "most_cards",
            Self::Far => "far",
            Self::GpuHours => "gpu_hours",
            Self::Hours => "hours",
            Self::Approval => "approval",
            Self::Idle => "idle",
        }
    }

    /// From a form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Of a limit.
    #[must_use]
    pub fn of(limit: &Limit) -> Self {
        match limit {
            Limit::Longest { .. } => Self::Longest,
            Limit::Shortest { .. } => Self::Shortest,
            Limit::Horizon { .. } => Self::Horizon,
            Limit::MostCards { .. } => Self::MostCards,
            Limit::Far { .. } => Self::Far,
            Limit::GpuHours { .. } => Self::GpuHours,
            Limit::Hours { .. } => Self::Hours,
            Limit::Approval => Self::Approval,
            Limit::Idle { .. } => Self::Idle,
        }
    }
}

/// What stands in the fields. Those that a kind does not have are empty.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RuleDraft {
    /// Which rule; empty: a new one.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Id of a group; empty: everybody.
    pub group: String,
    /// A label; empty: every card.
    pub label: String,
    /// As [`Kind`] writes it.
    pub kind: String,
    /// A length: of a booking, how far ahead, idle for.
    pub length: String,
    /// Cards.
    pub cards: String,
    /// GPU-hours.
    pub hours: String,
    /// `week` or `month`.
    pub per: String,
    /// Hours of the week.
    pub spans: String,
    /// Not used from the start for so long.
    pub no_show: String,
    /// Given back without an answer for so long; empty: never.
    pub release: String,
}

/// Why the fields make no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    /// No name, or one that deceives the eye.
    #[error("name of 1 to {NAME_MAX_CHARS} characters")]
    Name,
    /// Not a label.
    #[error("label of 1 to {LABEL_MAX_CHARS} characters")]
    Label,
    /// The form was not made by us.
    #[error("form")]
    Form,
    /// Not a length.
    #[error("length")]
    Length,
    /// Not a number.
    #[error("number")]
    Number,
    /// Not hours of the week.
    #[error("hours of the week")]
    Spans,
    /// Figures that make no sense.
    #[error(transparent)]
    Limit(#[from] BadLimit),
}

impl BadRule {
    /// The field that it is about.
    #[must_use]
    pub fn field(&self) -> Option<Field> {
        match self {
            Self::Name => Some(Field::Name),
            Self::Label => Some(Field::Label),
            Self::Form => None,
            Self::Length | Self::Number | Self::Spans | Self::Limit(_) => Some(Field::Limit),
        }
    }
}

impl RuleDraft {
    /// The fields of a new rule of a kind, with figures that many will keep.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let limit = match kind {
            Kind::Longest => Limit::Longest { minutes: 7 * 24 * 60 },
            Kind::Shortest => Limit::Shortest { minutes: 30 },
            Kind::Horizon => Limit::Horizon { minutes: 30 * 24 * 60 },
            Kind::MostCards => Limit::MostCards { cards: 4 },
            Kind::Far => Limit::Far { cards: 4, hours: 24 },
            Kind::GpuHours => Limit::GpuHours { hours: 200, per: Period::Week },
            Kind::Hours => Limit::Hours { spans: Vec::new() },
            Kind::Approval => Limit::Approval,
            Kind::Idle => Limit::Idle { minutes: 60, no_show_minutes: 30, release_after_minutes: None },
        };
        Self::default().with(&limit)
    }

    /// The fields of a rule that exists.
    #[must_use]
    pub fn of(rule: &Rule) -> Self {
        let fields = Self {
            id: rule.id.to_string(),
            name: rule.name.clone(),
            group: rule.group.map(|group| group.to_string()).unwrap_or_default(),
            label: rule.label.clone().unwrap_or_default(),
            ..Self::default()
        };
        fields.with(&rule.limit)
    }

    fn with(mut self, limit: &Limit) -> Self {
        Kind::of(limit).as_str().clone_into(&mut self.kind);
        match limit {
            Limit::Shortest { minutes } | Limit::Longest { minutes } | Limit::Horizon { minutes } => {
                self.length = said(*minutes);
            }
            Limit::MostCards { cards } => self.cards = cards.to_string(),
            Limit::GpuHours { hours, per } => {
                self.hours = hours.to_string();
                if *per == Period::Week { "week" } else { "month" }.clone_into(&mut self.per);
            }
            Limit::Hours { spans } => self.spans = crate::text::t().spans(spans),
            Limit::Approval => {}
            Limit::Far { cards, hours } => {
                self.cards = cards.to_string();
                self.length = said(hours.saturating_mul(60));
            }
            Limit::Idle { minutes, no_show_minutes, release_after_minutes } => {
                self.length = said(*minutes);
                self.no_show = said(*no_show_minutes);
                self.release = release_after_minutes.map(said).unwrap_or_default();
            }
        }
        self
    }

    /// The kind that is chosen.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Kind::parse(&self.kind)
    }

    /// The rule that the fields make.
    ///
    /// # Errors
    /// The first [`BadRule`] that applies.
    pub fn read(&self) -> Result<RuleAsk, BadRule> {
        let id = |text: &str| text.trim().is_empty().then_some(None).or_else(|| text.trim().parse().ok().map(Some));
        let group = self.group.trim();
        let group = if group.is_empty() { None } else { Some(group.parse().map_err(|_| BadRule::Form)?) };
        let ask = RuleAsk {
            id: id(&self.id).ok_or(BadRule::Form)?,
            name: name(&self.name).ok_or(BadRule::Name)?,
            group,
            label: match self.label.trim() {
                "" => None,
                text => Some(label(text).ok_or(BadRule::Label)?),
            },
            limit: self.limit()?,
        };
        ask.limit.check()?;
        Ok(ask)
    }

    fn limit(&self) -> Result<Limit, BadRule> {
        let minutes = |text: &str| length(text).map(|length| length.whole_minutes()).ok_or(BadRule::Length);
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| BadRule::Number);
        Ok(match self.kind().ok_or(BadRule::Form)? {
            Kind::Longest => Limit::Longest { minutes: minutes(&self.length)? },
            Kind::Shortest => Limit::Shortest { minutes: minutes(&self.length)? },
            Kind::Horizon => Limit::Horizon { minutes: minutes(&self.length)? },
            Kind::MostCards => Limit::MostCards { cards: number(&self.cards)? },
            Kind::Far => {
                let minutes = minutes(&self.length)?;
                if minutes % 60 != 0 {
                    return Err(BadRule::Length);
                }
                Limit::Far { cards: number(&self.cards)?, hours: minutes / 60 }
            }
            Kind::GpuHours => {
                let per = if self.per == "month" { Period::Month } else { Period::Week };
                Limit::GpuHours { hours: number(&self.hours)?, per }
            }
            Kind::Hours => Limit::Hours { spans: hours::read(&self.spans).ok_or(BadRule::Spans)? },
            Kind::Approval => Limit::Approval,
            Kind::Idle => Limit::Idle {
                minutes: minutes(&self.length)?,
                no_show_minutes: minutes(&self.no_show)?,
                release_after_minutes: match self.release.trim() {
                    "" => None,
                    text => Some(minutes(text)?),
                },
            },
        })
    }
}

/// A length as it is read back: nothing of it is rounded.
fn said(minutes: u32) -> String {
    let parts = [(minutes / 1440, "d"), (minutes % 1440 / 60, "h"), (minutes % 60, "min")];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}"));
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::RuleId;
    use proptest::prelude::*;

    #[test]
    fn every_kind_has_fields_that_make_a_rule() {
        for kind in Kind::ALL {
            let mut draft = RuleDraft { name: " A rule ".to_owned(), ..RuleDraft::new(kind) };
            assert_eq!(draft.kind(), Some(kind));
            if kind == Kind::Hours {
                assert_eq!(draft.read().expect_err("no hours"), BadRule::Spans);
                "Mon-Fri 18:00-8:00".clone_into(&mut draft.spans);
            }
            let ask = draft.read().expect("a rule");
            assert_eq!((Kind::of(&ask.limit), ask.name.as_str(), ask.id), (kind, "A rule", None));
        }
    }

    #[test]
    fn what_makes_no_rule_says_which_field() {
        let longest = || RuleDraft { name: "x".to_owned(), ..RuleDraft::new(Kind::Longest) };
        let bad = |draft: RuleDraft| draft.read().expect_err("no rule");
        assert_eq!(bad(RuleDraft { name: " ".to_owned(), ..longest() }), BadRule::Name);
        assert_eq!(bad(RuleDraft { label: "a b".to_owned(), ..longest() }), BadRule::Label);
        assert_eq!(bad(RuleDraft { group: "x".to_owned(), ..longest() }), BadRule::Form);
        assert_eq!(bad(RuleDraft { id: "x".to_owned(), ..longest() }), BadRule::Form);
        assert_eq!(bad(RuleDraft { kind: "x".to_owned(), ..longest() }), BadRule::Form);
        assert_eq!(bad(RuleDraft { length: "7".to_owned(), ..longest() }), BadRule::Length);
        let too_long = bad(RuleDraft { length: "40 d".to_owned(), ..longest() });
        assert!(matches!(too_long, BadRule::Limit(BadLimit::Minutes { .. })), "{too_long:?}");
        let most = RuleDraft { name: "x".to_owned(), cards: "-1".to_owned(), ..RuleDraft::new(Kind::MostCards) };
        assert_eq!(bad(most), BadRule::Number);
        let far = RuleDraft { name: "x".to_owned(), length: "90 min".to_owned(), ..RuleDraft::new(Kind::Far) };
        assert_eq!(bad(far), BadRule::Length);
    }

    proptest! {
        #[test]
        fn a_rule_survives_its_form(minutes in 5u32..44_640, cards in 0u32..256, release in 0u32..10_000, kind in 0usize..9) {
            let limit = match Kind::ALL[kind] {
                Kind::Longest => Limit::Longest { minutes },
                Kind::Shortest => Limit::Shortest { minutes },
                Kind::Horizon => Limit::Horizon { minutes },
                Kind::MostCards => Limit::MostCards { cards },
                Kind::Far => Limit::Far { cards, hours: minutes / 60 + 1 },
                Kind::GpuHours => {
                    Limit::GpuHours { hours: minutes, per: if cards % 2 == 0 { Period::Week } else { Period::Month } }
                }
                Kind::Hours => {
                    let days = vec![u8::try_from(cards % 7 + 1).expect("few")];
                    let from = u16::try_from(minutes % 1440).expect("few");
                    Limit::Hours { spans: vec![hours::WeekSpan { days, from, to: (from + 7) % 1440 }] }
                }
                Kind::Approval => Limit::Approval,
                Kind::Idle => Limit::Idle {
                    minutes: minutes % 10_000 + 5,
                    no_show_minutes: 30,
                    release_after_minutes: (release > 4).then_some(release),
                },
            };
            let id = RuleId(uuid::Uuid::from_u128(7));
            let rule = Rule { id, name: "x".to_owned(), group: None, label: Some("a-1".to_owned()), limit };
            let ask = RuleDraft::of(&rule).read().expect("a rule");
            prop_assert_eq!(ask.id, Some(id));
            prop_assert_eq!((ask.name, ask.group, ask.label, ask.limit), (rule.name, rule.group, rule.label, rule.limit));
        }
    }
}
