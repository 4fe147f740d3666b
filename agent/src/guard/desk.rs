//! Answers questions from what the agent knows. Neither NVML nor, but for linking, the network is in the way.

use std::sync::Arc;

use domain::guard::{HostCard, Scene, decide, status};
use domain::wire::guard_v1::{Answer, Ask};
use time::{Duration, OffsetDateTime};

use crate::clock::Stamp;
use crate::table::Tables;

/// Hands a link code and an account on to the portal; the person's name, or a sentence that says why not.
pub type Linker = dyn Fn(&str, &str) -> Result<String, String> + Send + Sync;

/// Gives the host's cards at once.
pub type Cards = dyn Fn() -> Vec<HostCard> + Send + Sync;

/// Everything that an answer needs.
pub struct Desk {
    /// The portal's bookings.
    pub tables: Arc<Tables>,
    /// The host's cards as last seen.
    pub cards: Box<Cards>,
    /// The kernel's id of this boot.
    pub boot_id: String,
    /// A table counts for this long.
    pub max_age: Duration,
    /// Way to the portal.
    pub linker: Box<Linker>,
}

impl Desk {
    /// Answers one question of an account.
    #[must_use]
    pub fn answer(&self, os_user: &str, question: &Ask) -> Answer {
        match question {
            Ask::Launch { cards } => self.with_scene(os_user, |scene| decide(scene, cards)),
            Ask::Status => self.with_scene(os_user, |scene| Answer::Status(status(scene))),
            Ask::Inventory | Ask::Pause { .. } | Ask::Resume => {
                Answer::Failed { message: "This agent cannot do that.".to_owned() }
            }
            Ask::Link { code } => self.link(os_user, code.trim()),
        }
    }

    fn with_scene(&self, os_user: &str, verdict: impl FnOnce(&Scene<'_>) -> Answer) -> Answer {
        let stamp = Stamp::now(&self.boot_id);
        let known = self.tables.get();
        let cards = (self.cards)();
        verdict(&Scene {
            table: known.as_ref().map(|known| &known.table),
            table_age: known.as_ref().map(|known| known.age(&stamp)).unwrap_or_default(),
            max_age: self.max_age,
            cards: &cards,
            os_user,
            now: known.as_ref().map_or_else(OffsetDateTime::now_utc, |known| known.portal_now(&stamp)),
        })
    }

    fn link(&self, os_user: &str, code: &str) -> Answer {
        if os_user.starts_with("uid:") {
            let message = format!("This account ({os_user}) has no name on this host, so it cannot be linked.");
            return Answer::Failed { message };
        }
        match (self.linker)(code, os_user) {
            Ok(name) => Answer::Linked { name },
            Err(message) => Answer::Failed { message },
        }
    }
}
