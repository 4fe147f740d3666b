//! What hosts do now, kept in memory and streamed to open pages.

/// The live view.
#[derive(Clone, Default)]
pub struct Live;

impl Live {
    /// Asks every page to fetch the fleet anew.
    pub fn resync(&self) {}
}
