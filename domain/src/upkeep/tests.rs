use super::*;
use time::macros::datetime;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn hours(from: i64, to: i64) -> Window {
    Window::new(NOW + Duration::hours(from), NOW + Duration::hours(to)).expect("not empty")
}

fn brief(from: i64, to: i64) -> MaintenanceBrief {
    MaintenanceBrief { id: MaintenanceId(uuid::Uuid::nil()), reason: "Firmware".to_owned(), window: hours(from, to) }
}

fn plan(window: Window) -> Plan {
    let targets = Targets { everywhere: true, ..Targets::default() };
    Plan { reason: " New power supply ".to_owned(), window, targets }
}

#[test]
fn maintenance_that_follows_on_maintenance_is_one_time() {
    let closed = Closed { maintenance: vec![brief(-1, 2), brief(2, 5), brief(7, 8)], ..Closed::default() };
    assert_eq!(closed.until(NOW), Some(hours(0, 5).end()));
    assert_eq!(closed.next(NOW).map(|next| next.window), Some(hours(2, 5)));
    assert_eq!(closed.until(NOW + Duration::hours(6)), None);
    assert!(closed.met_by(&hours(5, 7)).is_none() && closed.met_by(&hours(5, 8)).is_some());
    assert!(!closed.is_open() && Closed::default().is_open());
}

#[test]
fn a_plan_is_tidied() {
    let ok = plan(hours(1, 2)).check(NOW, None).expect("fits");
    assert_eq!(ok.reason, "New power supply");
    let just_now = plan(Window::new(NOW - Duration::minutes(2), hours(0, 1).end()).expect("not empty"));
    assert_eq!(just_now.check(NOW, None).map(|plan| plan.window), Ok(hours(0, 1)));
    assert_eq!(plan(hours(-3, 2)).check(NOW, Some(hours(-3, 0).start())).map(|plan| plan.window), Ok(hours(-3, 2)));
    let card = CardUuid::parse("GPU-1").expect("valid");
    let both = Targets { everywhere: true, cards: vec![card], ..Targets::default() };
    assert_eq!(both.tidy(), Targets { everywhere: true, ..Targets::default() });
}

#[test]
fn what_does_not_fit_is_told_apart() {
    assert_eq!(plan(hours(-3, 2)).check(NOW, None), Err(BadPlan::InThePast));
    assert_eq!(plan(hours(-3, -2)).check(NOW, None), Err(BadPlan::Over));
    assert_eq!(plan(hours(1, 1 + 366 * 24 + 1)).check(NOW, None), Err(BadPlan::TooLong));
    assert_eq!(plan(hours(800 * 24, 801 * 24)).check(NOW, None), Err(BadPlan::TooFarAhead));
    let nothing = Plan { targets: Targets::default(), ..plan(hours(1, 2)) };
    assert_eq!(nothing.check(NOW, None), Err(BadPlan::NoTarget));
    for reason in ["", "  ", &"x".repeat(201), "a\u{202e}b", "a\nb"] {
        let bad = Plan { reason: reason.to_owned(), ..plan(hours(1, 2)) };
        assert_eq!(bad.check(NOW, None), Err(BadPlan::Reason), "{reason}");
    }
}

#[test]
fn budgets_fit_into_the_card() {
    let shares = |count, memory_mib| Shares { count, memory_mib };
    assert!(shares(4, 20_000).fits(Some(81_559)) && shares(4, 20_000).fits(None));
    assert!(!shares(4, 20_480).fits(Some(81_559)), "more than there is");
    for bad in [shares(1, 10), shares(65, 10), shares(4, 0), shares(2, u64::MAX)] {
        assert!(!bad.fits(None), "{bad:?}");
    }
}
