//! What a host books and changes in the name of its people, as it is described.

use utoipa::ToSchema;

use super::Problem;

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
pub(super) struct HostBooking {
    /// The account, as the host's kernel names it. It must belong to one person.
    os_user: String,
    /// Made up by the host; the same key never books twice.
    #[schema(format = Uuid)]
    key: String,
    /// Just these cards, all of this host. Empty: `count` of them, the best linked that are free for all of the time.
    cards: Vec<String>,
    count: u32,
    /// Cards that are not to be taken, as somebody uses them.
    avoid: Vec<String>,
    /// Now, where it is missing.
    #[schema(format = DateTime)]
    start: Option<String>,
    minutes: u32,
    purpose: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
pub(super) struct HostBooked {
    #[schema(format = Uuid)]
    reservation: String,
    cards: Vec<String>,
    /// `{"start": .., "end": ..}`, RFC 3339, half-open.
    #[schema(value_type = Object)]
    window: (),
    /// It waits for approval: nothing is started on it yet.
    awaits: bool,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
pub(super) struct HostChange {
    /// The account, as the host's kernel names it. The booking must be its person's.
    os_user: String,
    /// `{"id": ..}`, or `{"key": ..}` for the one that a key has made.
    #[schema(value_type = Object)]
    booking: (),
    /// `{"until": ..}` with an RFC 3339 time, or `"end"`.
    #[schema(value_type = Value)]
    act: (),
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
pub(super) struct HostChanged {
    /// Missing where the key has made none.
    #[schema(format = Uuid)]
    reservation: Option<String>,
    /// Missing where it is over.
    #[schema(value_type = Object)]
    window: Option<()>,
}

/// Books cards of the host for the person whose account asks there.
#[utoipa::path(post, path = "/api/v1/agent/book", tag = "agent", request_body = HostBooking,
    security(("host_credential" = [])), responses(
    (status = 200, description = "Booked", body = HostBooked),
    (status = 401, description = "`agent.unknown` or `agent.revoked`", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "`reservation.overlap` and other refusals of a booking", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "`person.unknown`: the account is not one person's; `reservation.unknown_card`: not of this host", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
pub(super) fn book() {}

/// Changes a booking that lies wholly on the host, of the person whose account asks there.
#[utoipa::path(post, path = "/api/v1/agent/change", tag = "agent", request_body = HostChange,
    security(("host_credential" = [])), responses(
    (status = 200, description = "Changed", body = HostChanged),
    (status = 401, description = "`agent.unknown` or `agent.revoked`", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "`auth.not_allowed`: somebody else's, or not wholly on this host", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "`reservation.overlap` and other refusals of an edit", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
pub(super) fn change() {}
