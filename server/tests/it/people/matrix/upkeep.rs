//! `app::port::Upkeep`.

use app::port::Portal;

use super::{Gate, Row};

/// One method; `None` where it is none of these.
pub async fn call(_portal: &impl Portal, _method: &str) -> Option<Gate> {
    None
}

/// Its rows.
pub const ROWS: &[Row] = &[];
