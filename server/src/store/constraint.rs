//! Names of the constraints whose violation means something to a person, as `migrations/` spells them.

/// No card is held twice at one time.
pub const RESERVATION_CARD_NO_OVERLAP: &str = "reservation_card_no_overlap";
/// One booking for each key of a person.
pub const REQUEST_KEY: &str = "request_key_key";
/// A booking's time has two finite ends and is `[start, end)`.
pub const RESERVATION_DURING_BOUNDED: &str = "reservation_during_bounded";
/// The same for each of its cards.
pub const RESERVATION_CARD_DURING_BOUNDED: &str = "reservation_card_during_bounded";
/// A booked part of a card is not nothing.
pub const RESERVATION_CARD_SLICES_NOT_EMPTY: &str = "reservation_card_slices_not_empty";
/// A card is a part of a physical card, and not nothing.
pub const CARD_SLICES_NOT_EMPTY: &str = "card_slices_not_empty";
