//! `GET /api/v1/openapi.json`: the machines' API, for those who write other agents or monitoring.
//!
//! The shapes here are descriptions only; `domain::wire` is what is read and written. A test holds the two together.

use axum::Json;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi, ToSchema};

mod host_bookings;
mod inventory;
mod minutes;

use inventory::{CardDetail, Container, Inventory, MigPart};

/// Path of the description.
pub const OPENAPI_PATH: &str = "/api/v1/openapi.json";

/// The description.
pub async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(Api::openapi())
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Berth",
        description = "What agents and monitoring talk to. Fields that are not known are ignored; new ones are optional.",
        license(name = "Apache-2.0 OR MIT")
    ),
    paths(enrol, report, minutes::minutes, host_bookings::book, host_bookings::change, link, rotate, whoami, program, program_hash, healthz),
    components(schemas(CardHealth)),
    modifiers(&HostCredential)
)]
struct Api;

struct HostCredential;

impl Modify for HostCredential {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("The credential that enrolling gave. It alone says which host speaks."))
            .build();
        api.components.get_or_insert_default().add_security_scheme("host_credential", SecurityScheme::Http(scheme));
    }
}

/// A refusal, by RFC 9457. `code` is stable.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
pub(super) struct Problem {
    /// `urn:berth:` and the code.
    r#type: String,
    title: String,
    status: u16,
    /// What happened, why, and what to do next.
    detail: String,
    /// Stable, for programs.
    code: String,
    /// The same as `detail`.
    message: String,
    /// Seconds to wait before another try makes sense.
    retry_after: Option<u64>,
    /// The request's id in the server's log.
    request: Option<String>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct EnrolRequest {
    /// The one-time code that an administrator was shown.
    code: String,
    /// The machine's own name, for the record.
    hostname: String,
    agent_version: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct EnrolReply {
    #[schema(format = Uuid)]
    host: String,
    host_name: String,
    /// Shown this once.
    credential: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct Report {
    agent_version: String,
    /// Kernel's boot id: with `seq` it tells a repeat from news.
    boot_id: String,
    /// Counts up from the agent's start.
    seq: u64,
    /// By the host's clock, RFC 3339.
    #[schema(format = DateTime)]
    sampled_at: String,
    /// When this was sent, by the host's clock.
    #[schema(format = DateTime)]
    sent_at: Option<String>,
    /// `{"state": "ok"}`; other states are `no_library` (with `detail`), `driver_not_loaded`, `version_mismatch`,
    /// `stalled` (with `since`) and `failed`.
    #[schema(value_type = Object)]
    nvml: (),
    driver_version: Option<String>,
    cuda_version: Option<String>,
    /// A number, or `{"na": why}`; likewise for every measured value.
    #[schema(value_type = Value)]
    cpu_percent: Option<()>,
    #[schema(value_type = Value)]
    memory_total_mib: Option<()>,
    #[schema(value_type = Value)]
    memory_used_mib: Option<()>,
    /// Names the content of the inventory that belongs to this report.
    inventory_id: Option<String>,
    /// After it has changed, and when the portal asks for it.
    inventory: Option<Inventory>,
    /// At most 256.
    cards: Vec<CardReport>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct CardReport {
    facts: CardFacts,
    sample: CardSample,
    /// More values of the same kind.
    detail: Option<CardDetail>,
    health: Option<CardHealth>,
    /// Null where the list could not be read; at most 256.
    processes: Option<Vec<CardProcess>>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct CardFacts {
    /// NVML's UUID: the card's identity.
    uuid: String,
    index: u32,
    minor: Option<u32>,
    name: String,
    /// As sysfs writes it: `0000:1b:00.0`.
    pci_bus_id: Option<String>,
    #[schema(value_type = Value)]
    memory_total_mib: (),
    /// Of a MIG instance.
    part: Option<MigPart>,
    /// The card is cut into MIG instances.
    mig_on: Option<bool>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct CardSample {
    #[schema(value_type = Value)]
    utilisation_percent: (),
    #[schema(value_type = Value)]
    memory_used_mib: (),
    #[schema(value_type = Value)]
    temperature_celsius: (),
    #[schema(value_type = Value)]
    power_milliwatts: (),
    #[schema(value_type = Value)]
    power_limit_milliwatts: (),
    #[schema(value_type = Value)]
    fan_percent: (),
    #[schema(value_type = Value)]
    sm_clock_mhz: (),
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "a description")]
enum CardHealth {
    Ok,
    Lost,
    ResetNeeded,
    Asleep,
    RepairPending,
    Defective,
    Failing,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct CardProcess {
    pid: u32,
    /// `compute`, `graphics`, `compute_and_graphics` or `mps`.
    kind: String,
    #[schema(value_type = Value)]
    memory_mib: (),
    os_user: Option<String>,
    command: Option<String>,
    /// `running`, `orphan` or `unseen`.
    state: String,
    #[schema(value_type = Value)]
    utilisation_percent: Option<()>,
    #[schema(format = DateTime)]
    started_at: Option<String>,
    container: Option<Container>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct ReportReply {
    table: HostTable,
    /// From one report to the next; missing: as before.
    interval_ms: Option<u32>,
    /// Send the inventory with the next report.
    want_inventory: Option<bool>,
    /// Get a new credential.
    rotate_credential: Option<bool>,
}

/// Everything that a host's guard needs to decide while the server is away.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct HostTable {
    /// By the server's clock.
    #[schema(format = DateTime)]
    made_at: String,
    host_name: String,
    portal_url: String,
    accounts: Vec<Account>,
    /// Active, or beginning within 72 hours, in order of their start.
    bookings: Vec<TableBooking>,
    /// Those that wait for an answer: they hold their cards, and nobody starts anything on them.
    waiting: Option<Vec<TableBooking>>,
    /// What these people have not read yet, newest first.
    notices: Option<Vec<HostNotice>>,
}

/// In the words of the portal, and for this person alone.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct HostNotice {
    #[schema(format = Uuid)]
    person: String,
    #[schema(format = DateTime)]
    at: String,
    sentence: String,
    /// Address of the page with the way out.
    page: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct Account {
    os_user: String,
    #[schema(format = Uuid)]
    person: String,
    name: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct TableBooking {
    #[schema(format = Uuid)]
    id: String,
    #[schema(format = Uuid)]
    person: String,
    holder: String,
    /// Cards on this host, in the order of their indices.
    cards: Vec<String>,
    /// `start` and `end`, RFC 3339; the end does not belong to it.
    #[schema(value_type = Object)]
    window: (),
    /// Who else may start something on it.
    #[schema(format = Uuid)]
    co_users: Option<Vec<String>>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct LinkRequest {
    /// The code that the person was shown in the portal.
    code: String,
    os_user: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct LinkReply {
    name: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct RotateReply {
    /// Shown this once.
    credential: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct SelfReply {
    #[schema(format = Uuid)]
    host: String,
    host_name: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a description")]
struct Health {
    /// `ok`, `starting` or `degraded`.
    status: String,
    database: String,
    version: String,
}

/// Exchanges a one-time code for a host's credential.
#[utoipa::path(post, path = "/api/v1/agent/enrol", tag = "agent", request_body = EnrolRequest, responses(
    (status = 200, description = "The credential", body = EnrolReply),
    (status = 403, description = "`agent.wrong_code`: wrong, used or older than an hour", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "`auth.too_many_attempts`", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
fn enrol() {}

/// What a host says every two seconds. The answer comes when it is written.
#[utoipa::path(post, path = "/api/v1/agent/report", tag = "agent", request_body = Report,
    security(("host_credential" = [])), responses(
    (status = 200, description = "Written", body = ReportReply),
    (status = 400, description = "`input.malformed`: no JSON", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "`agent.unknown` or `agent.revoked`: the credential is wrong, or was taken away", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "`agent.retired`: an administrator has retired the host", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "`input.unknown_encoding`: neither plain nor gzip", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "`input.too_large`: more than a mebibyte, unpacked", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "`input.invalid`: JSON that is no report, or out of bounds", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "`server.unavailable` or `server.busy`: not written; pages have it", body = Problem,
        content_type = "application/problem+json", headers(("Retry-After" = u64, description = "Seconds"))),
))]
#[expect(dead_code, reason = "a description")]
fn report() {}

/// Somebody on the host proves that an account is theirs.
#[utoipa::path(post, path = "/api/v1/agent/link", tag = "agent", request_body = LinkRequest,
    security(("host_credential" = [])), responses(
    (status = 200, description = "The account belongs to this person now", body = LinkReply),
    (status = 401, description = "`agent.unknown`", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "`link.wrong_code`", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
fn link() {}

/// A new credential. The one that asks for it works until the new one is used for the first time.
#[utoipa::path(post, path = "/api/v1/agent/rotate", tag = "agent", security(("host_credential" = [])), responses(
    (status = 200, description = "The credential", body = RotateReply),
    (status = 401, description = "`agent.unknown` or `agent.revoked`", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
fn rotate() {}

/// Who the portal takes the host for. Changes nothing.
#[utoipa::path(get, path = "/api/v1/agent/self", tag = "agent", security(("host_credential" = [])), responses(
    (status = 200, description = "The host", body = SelfReply),
    (status = 401, description = "`agent.unknown` or `agent.revoked`", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
fn whoami() {}

/// The `berth` program for new hosts. `ETag` and `Repr-Digest` carry its SHA-256.
#[utoipa::path(get, path = "/download/berth", tag = "agent", responses(
    (status = 200, description = "The program", content_type = "application/octet-stream"),
    (status = 304, description = "The same as the one of `If-None-Match`"),
    (status = 404, description = "The portal has none", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "It is being looked at", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
fn program() {}

/// Its SHA-256, as `sha256sum --check` reads it.
#[utoipa::path(get, path = "/download/berth.sha256", tag = "agent", responses(
    (status = 200, description = "One line", content_type = "text/plain"),
    (status = 404, description = "The portal has none", body = Problem, content_type = "application/problem+json"),
))]
#[expect(dead_code, reason = "a description")]
fn program_hash() {}

/// Whether the portal can do its work.
#[utoipa::path(get, path = "/healthz", tag = "monitoring", responses(
    (status = 200, description = "The database answers", body = Health),
    (status = 503, description = "It does not, or not yet", body = Health),
))]
#[expect(dead_code, reason = "a description")]
fn healthz() {}

#[cfg(test)]
mod tests;
