//! Labels of hosts and cards.

use app::port::Rules;
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{CardUuid, HostId};
use domain::rules::Limit;
use domain::wire::rules::{LabelsPage, RuleAsk};
use uuid::Uuid;

use super::{Yard, again, rule};

impl Yard {
    async fn label_card(&self, card: &CardUuid, labels: &str) -> Result<(), ApiError> {
        let (card, labels) = (card.clone(), labels.to_owned());
        self.office.act(&mut again(&self.ruth), async |portal| portal.set_card_labels(card, labels).await).await
    }

    async fn label_host(&self, host: HostId, labels: &str) -> Result<(), ApiError> {
        let labels = labels.to_owned();
        self.office.act(&mut again(&self.ruth), async |portal| portal.set_host_labels(host, labels).await).await
    }

    async fn labels(&self) -> LabelsPage {
        self.office.act(&mut again(&self.ruth), async |portal| portal.labels_page().await).await.unwrap()
    }
}

#[tokio::test]
async fn hosts_and_cards_get_exactly_the_labels_that_are_said() {
    let yard = Yard::new().await;
    yard.label_host(yard.host, " Training, fast  training").await.unwrap();
    yard.label_card(&yard.cards[3], "interactive").await.unwrap();
    yard.label_card(&yard.cards[3], "inference interactive").await.unwrap();
    yard.label_host(yard.host, "training").await.unwrap();
    yard.save(&RuleAsk { label: Some("training".to_owned()), ..rule("R", Limit::Approval) }).await.unwrap();

    let page = yard.labels().await;
    assert_eq!(page.hosts.len(), 1);
    assert_eq!(page.hosts[0].labels, ["training"]);
    let labelled: Vec<_> = page.hosts[0].cards.iter().filter(|card| !card.labels.is_empty()).collect();
    assert_eq!(labelled.len(), 1);
    assert_eq!(
        (labelled[0].number.index, labelled[0].labels.as_slice()),
        (3, ["inference", "interactive"].map(str::to_owned).as_slice())
    );
    assert_eq!(page.ruled, [("training".to_owned(), vec!["R".to_owned()])]);

    yard.label_card(&yard.cards[3], "").await.unwrap();
    let before = yard.record().await.len();
    yard.label_card(&yard.cards[3], " ").await.unwrap();
    let record = yard.record().await;
    assert_eq!(record.len(), before, "nothing changed, nothing recorded");
    assert_eq!(record[0], ("host.labels".to_owned(), "rig".to_owned()));
    assert_eq!(record[1], ("card.labels".to_owned(), "rig:3".to_owned()));
}

#[tokio::test]
async fn what_is_no_label_is_refused_at_its_field() {
    let yard = Yard::new().await;
    for bad in ["-x", "a/b", "ä", "a b c d e f g h i j k l m n o p q"] {
        let refusal = yard.label_host(yard.host, bad).await.unwrap_err();
        assert_eq!((refusal.code, refusal.field), (ErrorCode::BadInput, Some(Field::Label)), "{bad}");
    }
    let missing = yard.label_host(HostId(Uuid::nil()), "x").await.unwrap_err();
    assert_eq!(missing.code, ErrorCode::NotFound);
    let missing = yard.label_card(&CardUuid::parse("GPU-none").unwrap(), "x").await.unwrap_err();
    assert_eq!(missing.code, ErrorCode::NotFound);
    assert!(yard.record().await.is_empty());
}
