//! The people of the demonstration and their groups. One of them can sign in, with a password that is made up each time;
//! the passwords of the others are thrown away as soon as they are made. Where nobody administers the portal yet, that one
//! does, so that the first look needs one account and shows everything.

use domain::user::{Role, Username};
use domain::wire::page::Viewer;

use super::DemoError;
use crate::auth::secret::Secret;
use crate::service::account_error::{AccountError, BadInput};
use crate::service::new_account::CheckedAccount;
use crate::service::{Services, accounts};
use crate::store::demo::{self, Marks};
use crate::store::{StoreError, users};

/// Groups of five characters: 100 bits.
const PASSWORD_GROUPS: usize = 4;

/// Sign-in name, display name, zone. The first one can sign in.
const PEOPLE: [(&str, &str, &str); 10] = [
    ("demo", "Lena Hoffmann (demo)", "Europe/Berlin"),
    ("demo-wei", "Wei Chen (demo)", "Asia/Shanghai"),
    ("demo-priya", "Priya Nair (demo)", "Asia/Kolkata"),
    ("demo-aiko", "Aiko Tanaka (demo)", "Asia/Tokyo"),
    ("demo-grace", "Grace Okafor (demo)", "Africa/Lagos"),
    ("demo-tomas", "Tomás Oliveira (demo)", "America/Sao_Paulo"),
    ("demo-mehmet", "Mehmet Yıldız (demo)", "Europe/Istanbul"),
    ("demo-lina", "李娜 (demo)", "Asia/Shanghai"),
    ("demo-noah", "Noah Berg (demo)", "Europe/Stockholm"),
    ("demo-fatima", "Fatima Haddad (demo)", "Africa/Casablanca"),
];

/// A group: its name, and its people by their places, the manager first.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) people: &'static [usize],
}

/// The group of this place in [`GROUPS`].
pub(super) const VISION: usize = 0;
/// Likewise.
pub(super) const LANGUAGE: usize = 1;
/// Likewise. What they train is approved first.
pub(super) const ROBOTICS: usize = 2;

/// The groups.
pub(super) const GROUPS: &[Group] = &[
    Group { name: "Vision (demo)", people: &[0, 3, 7, 8] },
    Group { name: "Language (demo)", people: &[2, 1, 6] },
    Group { name: "Robotics (demo)", people: &[4, 5, 9] },
];

/// Somebody who was made.
pub(super) struct Made {
    pub(super) viewer: Viewer,
    pub(super) zone: &'static str,
}

/// Makes all of them, or none, and notes that they are a demonstration. Gives the password of the first.
pub(super) async fn make(services: &Services) -> Result<(Vec<Made>, String, Marks), DemoError> {
    let password = Secret::code(PASSWORD_GROUPS).map_err(AccountError::from)?.reveal().to_ascii_lowercase();
    let hash = services.passwords.hash(password.clone()).await.map_err(AccountError::from)?;
    let lost = Secret::code(PASSWORD_GROUPS * 2).map_err(AccountError::from)?.reveal();
    let nobodys = services.passwords.hash(lost).await.map_err(AccountError::from)?;
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let is_set_up = users::administrators(&mut *tx).await?.any;
    let mut made = Vec::with_capacity(PEOPLE.len());
    for (place, (name, display_name, zone)) in PEOPLE.into_iter().enumerate() {
        let account = CheckedAccount {
            name: Username::parse(name).map_err(|_| AccountError::from(BadInput::Name))?,
            display_name: display_name.to_owned(),
            password: String::new(),
            zone: zone.to_owned(),
        };
        let (hash, role) = match place {
            0 if !is_set_up => (&hash, Role::Administrator),
            0 => (&hash, Role::Member),
            _ => (&nobodys, Role::Member),
        };
        let id = accounts::insert(&mut tx, services, &account, hash, role).await?;
        let (name, display_name) = (name.to_owned(), display_name.to_owned());
        made.push(Made { viewer: Viewer { id, name, display_name, role }, zone });
    }
    let marks = Marks { people: made.iter().map(|made| made.viewer.id).collect(), ..Marks::default() };
    demo::note(&mut tx, &marks).await?;
    tx.commit().await.map_err(StoreError::from)?;
    Ok((made, password, marks))
}
