//! Every limit, by a booking that keeps it and one that does not.

use app::port::Rules;
use domain::error::Field;
use domain::finder::{Lack, Link, Reason, Span, Want};
use domain::rules::hours::WeekSpan;
use domain::rules::{Limit, Period};
use domain::wire::rules::{OwnRules, RuleAsk};

use super::{Yard, again, broken, hours, rule};

#[tokio::test]
async fn lengths_and_how_far_ahead() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    yard.rule("Longest booking", Limit::Longest { minutes: 7 * 24 * 60 }).await;
    yard.rule("Shortest booking", Limit::Shortest { minutes: 60 }).await;
    yard.rule("Four weeks", Limit::Horizon { minutes: 28 * 24 * 60 }).await;

    let (field, said) = broken(yard.book(&ada, &[0], hours(1, 8 * 24 + 1)).await);
    assert_eq!(field, Field::End);
    // 12:00 in Berlin.
    assert_eq!(
        said,
        "8 d is over the limit of 7 d (rule “Longest booking”). Book until 7 Dec 12:00 and extend later, or ask Person \
         ruth."
    );
    let half = time::Duration::minutes(30);
    let short = domain::window::Window::new(hours(1, 2).start(), hours(1, 2).start() + half).unwrap();
    assert_eq!(broken(yard.book(&ada, &[0], short).await).0, Field::End);
    assert_eq!(broken(yard.book(&ada, &[0], hours(29 * 24, 29 * 24 + 2)).await).0, Field::Start);
    yard.book(&ada, &[0], hours(1, 7 * 24 + 1)).await.unwrap();
}

#[tokio::test]
async fn most_cards_at_once_and_far_ahead() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.office.member("ada").await, yard.office.member("bob").await);
    yard.rule("Most cards", Limit::MostCards { cards: 3 }).await;
    yard.rule("Planning ahead", Limit::Far { cards: 1, hours: 24 }).await;

    yard.book(&ada, &[0, 1], hours(0, 4)).await.unwrap();
    let (field, said) = broken(yard.book(&ada, &[2, 3], hours(3, 6)).await);
    assert_eq!(field, Field::Cards);
    assert!(said.contains("“Most cards”") && said.contains("Take 1 card") && said.contains("15:00"), "{said}");
    yard.book(&ada, &[2, 3], hours(4, 6)).await.unwrap();
    // Others have limits of their own.
    yard.book(&bob, &[4, 5, 6], hours(0, 24)).await.unwrap();

    yard.book(&ada, &[0], hours(30, 40)).await.unwrap();
    let (field, said) = broken(yard.book(&ada, &[1], hours(20, 31)).await);
    assert_eq!(field, Field::Cards);
    assert!(said.contains("“Planning ahead”") && said.contains("Book until Tue 17:00"), "{said}");
    yard.book(&ada, &[1], hours(20, 30)).await.unwrap();
}

#[tokio::test]
async fn gpu_hours_of_a_week() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    yard.rule("Fair share", Limit::GpuHours { hours: 20, per: Period::Week }).await;
    // Two hours of two cards, called off after one of them.
    let early = yard.book(&ada, &[0, 1], hours(0, 4)).await.unwrap();
    broken(yard.book(&ada, &[2], hours(1, 14)).await);
    yard.office.clock.advance(time::Duration::hours(1));
    let end = async |portal: &_| app::port::Portal::end_now(portal, early).await;
    yard.office.act(&mut again(&ada), end).await.unwrap();
    // Two are used; what was given back counts no more.
    let (field, said) = broken(yard.book(&ada, &[2], hours(1, 20)).await);
    assert_eq!(field, Field::End);
    assert!(said.contains("21 GPU-hours in the week from 30 Nov") && said.contains("Tue 06:00"), "{said}");
    let booked = yard.book(&ada, &[2], hours(1, 19)).await.unwrap();
    // The next week is another one; a booking that is called off counts no more.
    yard.book(&ada, &[2], hours(7 * 24, 7 * 24 + 20)).await.unwrap();
    broken(yard.book(&ada, &[3], hours(1, 2)).await);
    yard.edit(&ada, booked, domain::reservation::edit::Edit::EndNow).await.unwrap();
    yard.book(&ada, &[3], hours(1, 2)).await.unwrap();
}

#[tokio::test]
async fn hours_of_the_week_by_the_clocks_of_the_booking() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    let spans = vec![WeekSpan { days: vec![1, 2, 3, 4, 5], from: 18 * 60, to: 8 * 60 }];
    yard.rule("Nights", Limit::Hours { spans }).await;
    // 18:00 in Berlin is seven hours from now.
    let (field, said) = broken(yard.book(&ada, &[0], hours(6, 9)).await);
    assert_eq!(field, Field::Start);
    assert!(said.contains("Mon – Fri 18:00 – 08:00") && said.contains("Begin at 18:00"), "{said}");
    yard.book(&ada, &[0], hours(7, 21)).await.unwrap();
    assert_eq!(broken(yard.book(&ada, &[1], hours(7, 22)).await).0, Field::End);
}

#[tokio::test]
async fn rules_are_for_a_group_and_for_labelled_cards() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.office.member("ada").await, yard.office.member("bob").await);
    let students = yard.group("Students", &[&ada]).await;
    let none = RuleAsk { group: Some(students), label: Some("training".to_owned()), ..rule("Not for students", NONE) };
    yard.save(&none).await.unwrap();
    yard.book(&ada, &[0], hours(0, 1)).await.unwrap();

    let (card, host) = (yard.cards[0].clone(), yard.host);
    let set = async |portal: &_| Rules::set_card_labels(portal, card, "Training, fast".to_owned()).await;
    yard.office.act(&mut again(&yard.ruth), set).await.unwrap();
    let (_, said) = broken(yard.book(&ada, &[0, 1], hours(1, 2)).await);
    assert!(said.contains("for cards labelled training"), "{said}");
    yard.book(&ada, &[1], hours(1, 2)).await.unwrap();
    yard.book(&bob, &[0], hours(1, 2)).await.unwrap();

    // A label of the host is one of all its cards.
    let set = async |portal: &_| Rules::set_host_labels(portal, host, "training".to_owned()).await;
    yard.office.act(&mut again(&yard.ruth), set).await.unwrap();
    broken(yard.book(&ada, &[1], hours(2, 3)).await);
}

const NONE: Limit = Limit::MostCards { cards: 0 };

#[tokio::test]
async fn the_browser_is_told_what_it_judges_by() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.office.member("ada").await, yard.office.member("bob").await);
    let staff = yard.group("Staff", &[&bob]).await;
    yard.rule("Most cards", Limit::MostCards { cards: 3 }).await;
    yard.save(&RuleAsk { group: Some(staff), ..rule("Staff only", NONE) }).await.unwrap();
    let booked = yard.book(&ada, &[0, 1], hours(0, 4)).await.unwrap();
    let own = async |who| -> OwnRules {
        yard.office.act(&mut again(who), async |portal| portal.own_rules().await).await.unwrap()
    };
    let OwnRules { rules, standing } = own(&ada).await;
    assert_eq!(rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(), ["Most cards"]);
    assert_eq!(standing.holds.iter().filter(|held| held.reservation == Some(booked)).count(), 2);
    assert_eq!((standing.approves, standing.ask.as_slice()), (false, ["Person ruth".to_owned()].as_slice()));
    let bobs = own(&bob).await;
    assert_eq!((bobs.rules.len(), bobs.standing.groups, bobs.standing.approves), (2, vec![staff], true));
}

#[tokio::test]
async fn the_finder_offers_what_may_be_booked() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    yard.book(&ada, &[7], hours(0, 4)).await.unwrap();
    yard.rule("Longest booking", Limit::Longest { minutes: 120 }).await;
    yard.rule("Most cards", Limit::MostCards { cards: 2 }).await;
    let find = async |count: u32, from, until| {
        let want = Want {
            count,
            model: None,
            architecture: None,
            memory_mib: None,
            link: Link::Any,
            spread: false,
            hosts: Vec::new(),
            labels: Vec::new(),
            when: Span::At(hours(from, until)),
        };
        let viewer = yard.office.viewer(&mut again(&ada)).await.unwrap();
        yard.office.services.finder.find(&viewer, &want).await.unwrap()
    };
    let one = find(1, 1, 8).await;
    assert_eq!(
        (one.suggestions[0].window, one.suggestions[0].by_rule.as_deref()),
        (hours(1, 3), Some("Longest booking"))
    );
    let index = usize::try_from(one.suggestions[0].cards[0].number.index).unwrap();
    yard.book(&ada, &[index], one.suggestions[0].window).await.unwrap();
    // With what is booked now, another one would be too many until the third hour.
    let two = find(1, 1, 2).await;
    assert_eq!(two.lack, Some(Lack::AgainstRule { rule: "Most cards".to_owned() }));
    assert_eq!(two.suggestions[0].window, hours(3, 4));
    let index = usize::try_from(two.suggestions[0].cards[0].number.index).unwrap();
    yard.book(&ada, &[index], two.suggestions[0].window).await.unwrap();

    // Somebody else's card: what works in its place works by the rules.
    let bob = yard.office.member("bob").await;
    yard.book(&bob, &[0], hours(10, 12)).await.unwrap();
    yard.rule("Next day", Limit::Horizon { minutes: 11 * 60 }).await;
    let refusal = yard.book(&ada, &[0], hours(10, 12)).await.unwrap_err();
    assert_eq!(refusal.code, domain::error::ErrorCode::Overlap);
    let reasons: Vec<Reason> = refusal.instead.iter().map(|one| one.reason).collect();
    assert_eq!(reasons, [Reason::Elsewhere], "later is too far ahead");
}
