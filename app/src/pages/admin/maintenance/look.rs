//! The form of a plan: read from the address, filled from a maintenance that is to be changed, judged by the server.

use domain::draft::wall::Which;
use leptos_router::params::ParamsMap;

use crate::api::upkeep::PlanForm;

impl PlanForm {
    /// From the page's address.
    #[must_use]
    pub fn read(query: &ParamsMap) -> Self {
        let text = |name: &str| query.get(name).unwrap_or_default();
        Self {
            change: text("change"),
            look: query.get("look").is_some(),
            reason: text("reason"),
            start: text("start"),
            start_which: Which::parse(&text("start_which")),
            end: text("end"),
            end_which: Which::parse(&text("end_which")),
            everywhere: query.get("everywhere").is_some(),
            hosts: query.get_all("host").unwrap_or_default(),
            cards: query.get_all("card").unwrap_or_default(),
        }
    }
}

#[cfg(feature = "ssr")]
pub use server::view;

#[cfg(feature = "ssr")]
mod server {
    use domain::draft::{Draft, Unreadable, wall};
    use domain::error::{ApiError, ErrorCode, Field};
    use domain::id::{CardUuid, HostId, MaintenanceId};
    use domain::text::{When, t};
    use domain::upkeep::{Maintenance, MaintenancePage, Plan, PlanAsk, Targets};
    use domain::zone::ZoneTable;
    use time::Duration;

    use crate::api::upkeep::{Judged, MaintenanceView, PlanForm};
    use crate::port::portal;

    /// Length of a maintenance that nobody has said anything about.
    const USUAL: Duration = Duration::hours(2);

    /// The page for the form in its address.
    pub async fn view(mut form: PlanForm) -> Result<MaintenanceView, ApiError> {
        let portal = portal()?;
        let (frame, page) = (portal.frame().await?, portal.maintenance().await?);
        let changing = page.open.iter().find(|planned| planned.id.to_string() == form.change);
        if !form.look {
            fill(&mut form, changing, &page, &frame.zone);
        }
        let changing = changing.map(|planned| planned.id);
        if changing.is_none() {
            form.change.clear();
        }
        let judged = if !form.look {
            None
        } else {
            Some(match read(&form, &frame.zone, &page) {
                Err(refusal) => Judged::Refused(refusal),
                Ok(plan) => match portal.preview_maintenance(plan, changing).await {
                    Ok(preview) => {
                        let id = changing.unwrap_or_else(|| MaintenanceId(uuid::Uuid::new_v4()));
                        let seen = Some(preview.hits.iter().map(|hit| hit.reservation).collect());
                        let ask = PlanAsk { id, plan: preview.plan.clone(), seen };
                        let unwritable = |_| ApiError::new(ErrorCode::Internal, t().errors.internal);
                        Judged::Fits { preview, ask: serde_json::to_string(&ask).map_err(unwritable)? }
                    }
                    Err(refusal) if refusal.field.is_some() => Judged::Refused(refusal),
                    Err(refusal) => return Err(refusal),
                },
            })
        };
        Ok(MaintenanceView { page, form, changing, judged })
    }

    /// What the form begins with: the maintenance that is changed, or the next full hour.
    fn fill(form: &mut PlanForm, changing: Option<&Maintenance>, page: &MaintenancePage, zone: &ZoneTable) {
        let (start, end) = match changing {
            Some(planned) => (planned.plan.window.start(), planned.plan.window.end()),
            None => {
                let start = wall::minute(page.now) + Duration::hours(1);
                let start = start - Duration::minutes(zone.local(start).minute().into());
                (start, start + USUAL)
            }
        };
        (form.start, form.start_which) = wall::write(start, zone);
        (form.end, form.end_which) = wall::write(end, zone);
        if let Some(planned) = changing {
            let targets = &planned.plan.targets;
            form.reason.clone_from(&planned.plan.reason);
            form.everywhere = targets.everywhere;
            form.hosts = targets.hosts.iter().map(ToString::to_string).collect();
            form.cards = targets.cards.iter().map(ToString::to_string).collect();
        }
    }

    /// The plan that the fields name.
    fn read(form: &PlanForm, zone: &ZoneTable, page: &MaintenancePage) -> Result<Plan, ApiError> {
        let times = Draft {
            start: form.start.clone(),
            start_which: form.start_which,
            end: form.end.clone(),
            end_which: form.end_which,
            ..Draft::default()
        };
        let refuse = |why: Unreadable| {
            let message = t().unreadable(&why, &When::new(zone, page.now));
            ApiError { field: why.field(), ..ApiError::new(ErrorCode::BadInput, message) }
        };
        let window = times.window(zone).map_err(refuse)?;
        let bad = |field| ApiError::new(ErrorCode::BadInput, t().errors.malformed).on(field);
        let host = |text: &String| text.parse::<HostId>().map_err(|_| bad(Field::Host));
        let card = |text: &String| CardUuid::parse(text).map_err(|_| bad(Field::Cards));
        let targets = Targets {
            everywhere: form.everywhere,
            hosts: form.hosts.iter().map(host).collect::<Result<_, _>>()?,
            cards: form.cards.iter().map(card).collect::<Result<_, _>>()?,
        };
        Ok(Plan { reason: form.reason.clone(), window, targets })
    }
}
