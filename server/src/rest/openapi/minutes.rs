//! Descriptions of the record of minutes.
#![expect(dead_code, reason = "descriptions")]

use utoipa::ToSchema;

use super::Problem;

/// Some recorded minutes of a host, oldest first.
#[derive(ToSchema)]
pub(super) struct Minutes {
    /// At most `MINUTES_MAX`.
    minutes: Vec<HostMinute>,
    /// Minutes that the agent had to throw away since it began to record, because nobody took them for too long.
    dropped: u64,
}

/// A minute of a host, or a part of it.
#[derive(ToSchema)]
pub(super) struct HostMinute {
    /// When it began: a whole minute by the portal's clock.
    #[schema(format = DateTime)]
    minute: String,
    /// A random number: the same part of the same minute has the same.
    part: u64,
    /// How far the host's clock was ahead of the portal's; `None` where the portal had never answered.
    clock_ahead_ms: Option<i64>,
    /// Each card once.
    cards: Vec<CardMinute>,
}

/// What one card did in a minute. Times are milliseconds of that minute.
#[derive(ToSchema)]
pub(super) struct CardMinute {
    /// Which.
    card: String,
    /// How much of the minute was watched.
    watched_ms: u32,
    /// How often it was looked at.
    samples: u32,
    /// Utilisation in percent, where it could be read.
    utilisation: Option<Spread>,
    /// Memory in use, in MiB.
    memory: Option<Spread>,
    /// Power drawn, in milliwatts.
    power: Option<Spread>,
    /// Energy taken, in millijoules: by the card's counter where it has one, else from the power drawn.
    energy_mj: Option<u64>,
    /// The energy is the counter's.
    energy_is_counted: bool,
    /// Highest temperature, in degrees Celsius.
    temperature_max: Option<u32>,
    /// For how long somebody computed or held memory.
    busy_ms: u32,
    /// For how long it was not well.
    unwell_ms: u32,
    /// Who was on it; at most `ACCOUNTS_MAX`.
    accounts: Vec<AccountMinute>,
}

/// Samples of one value.
#[derive(ToSchema)]
pub(super) struct Spread {
    /// How many.
    n: u32,
    /// All of them together.
    sum: u64,
    /// Lowest.
    min: u64,
    /// Highest.
    max: u64,
}

/// What an account did on a card in a minute.
#[derive(ToSchema)]
pub(super) struct AccountMinute {
    /// Account of the operating system; `None` where nobody knows whose the processes are.
    os_user: Option<String>,
    /// What the processes ran in, where that is not a plain login: [`crate::card::Container::id`].
    container: Option<String>,
    /// For how long it had a process there.
    present_ms: u32,
    /// Most memory held at once, by all its processes together; `None` where that is not known.
    memory_max_mib: Option<u64>,
    /// Its share of the card's computing, as milliseconds of the whole card; `None` where that is not known.
    compute_ms: Option<u32>,
}

/// What became of the minutes. Whatever is not listed in here is in the database, or was already.
#[derive(ToSchema)]
pub(super) struct MinutesReply {
    /// What was not taken, and never will be.
    refused: Vec<RefusedMinute>,
}

/// A minute, or one card of it, that was not taken.
#[derive(ToSchema)]
pub(super) struct RefusedMinute {
    /// The minute.
    #[schema(format = DateTime)]
    minute: String,
    /// The card; `None` for the whole minute.
    card: Option<String>,
    /// `too_old`, `not_yet`, `not_a_minute`, `not_yours`, `impossible` or `too_many_parts`.
    why: String,
}

/// What a host's cards did, minute by minute. The answer comes when it is written; sent again, it changes nothing.
#[utoipa::path(post, path = "/api/v1/agent/minutes", tag = "agent", request_body = Minutes,
    security(("host_credential" = [])), responses(
    (status = 200, description = "Written, but for what is listed", body = MinutesReply),
    (status = 400, description = "`input.malformed`: no JSON", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "`agent.unknown` or `agent.revoked`", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "`agent.retired`", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "`input.too_large`: more than a mebibyte, unpacked", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "`input.unknown_encoding`: neither plain nor gzip", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "`input.invalid`: no minutes, or too many at once", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "`server.unavailable`: not written", body = Problem, content_type = "application/problem+json"),
))]
pub(super) fn minutes() {}
