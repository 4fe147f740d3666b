//! `app::port::Notices`.

use app::port::Portal;
use domain::notice::Which;

use super::{Gate, Row, gate};

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    Some(match method {
        "notices" => gate(portal.notices().await),
        "mark_read" => gate(portal.mark_read(Which::UpTo { id: 0 }).await),
        _ => return None,
    })
}

/// Its rows.
pub const ROWS: &[Row] = {
    use Gate::{Open, SignIn};
    &[("notices", [SignIn, Open, Open]), ("mark_read", [SignIn, Open, Open])]
};
