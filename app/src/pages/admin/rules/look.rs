//! The form of a rule: read from the address, filled from a rule that is to be changed, tried by the server.

use domain::rules::draft::RuleDraft;
use leptos_router::params::ParamsMap;

use crate::api::rules::RulesLook;

impl RulesLook {
    /// From the page's address.
    #[must_use]
    pub fn read(query: &ParamsMap) -> Self {
        let text = |name: &str| query.get(name).unwrap_or_default();
        Self {
            change: text("change"),
            filled: query.get("name").is_some(),
            tried: query.get("try").is_some(),
            draft: RuleDraft {
                id: text("id"),
                name: text("name"),
                group: text("group"),
                label: text("label"),
                kind: text("kind"),
                length: text("length"),
                cards: text("cards"),
                hours: text("hours"),
                per: text("per"),
                spans: text("spans"),
                no_show: text("no_show"),
                release: text("release"),
            },
        }
    }
}

#[cfg(feature = "ssr")]
pub use server::{read, typed, view};

#[cfg(feature = "ssr")]
mod server {
    use domain::error::{ApiError, ErrorCode};
    use domain::rules::draft::RuleDraft;
    use domain::text::t;
    use domain::wire::rules::RuleAsk;

    use crate::api::rules::{RulesLook, RulesView};
    use crate::port::portal;

    /// The page for the form in its address.
    pub async fn view(look: RulesLook) -> Result<RulesView, ApiError> {
        let portal = portal()?;
        let page = portal.rules_page().await?;
        let known = page.rules.iter().find(|row| row.rule.id.to_string() == look.change);
        let form = if look.filled {
            Some(look.draft)
        } else {
            known.map(|row| RuleDraft::of(&row.rule)).or_else(|| look.draft.kind().map(RuleDraft::new))
        };
        let tried = match form.as_ref().filter(|_| look.tried).map(read) {
            None => None,
            Some(Err(refusal)) => Some(Err(refusal)),
            Some(Ok(ask)) => Some(Ok(portal.try_rule(ask).await?)),
        };
        Ok(RulesView { page, form, tried })
    }

    /// The rule that a form makes.
    pub fn read(draft: &RuleDraft) -> Result<RuleAsk, ApiError> {
        draft.read().map_err(|why| {
            let refusal = ApiError::new(ErrorCode::BadInput, t().bad_rule(&why));
            match why.field() {
                Some(field) => refusal.on(field),
                None => refusal,
            }
        })
    }

    /// The fields as they come back in the address of a refused form.
    pub fn typed(draft: &RuleDraft) -> [(&'static str, String); 12] {
        let RuleDraft { id, name, group, label, kind, length, cards, hours, per, spans, no_show, release } =
            draft.clone();
        [
            ("id", id),
            ("name", name),
            ("group", group),
            ("label", label),
            ("kind", kind),
            ("length", length),
            ("cards", cards),
            ("hours", hours),
            ("per", per),
            ("spans", spans),
            ("no_show", no_show),
            ("release", release),
        ]
    }
}
