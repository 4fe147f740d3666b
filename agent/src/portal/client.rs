//! Speaks HTTP to the portal: short timeouts, no redirects, bounded answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::error::ErrorCode;
use domain::wire::agent_v1::{
    ENROL_PATH, EnrolReply, EnrolRequest, LINK_PATH, LinkReply, LinkRequest, REPORT_PATH, ROTATE_PATH, Report,
    ReportReply, RotateReply, SELF_PATH, SelfReply,
};
use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH, HostBooked, HostBooking, HostChange, HostChanged};
use domain::wire::minutes_v1::{MINUTES_PATH, Minutes, MinutesReply};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ureq::Body;
use ureq::http::Response;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::Address;
use super::pack::Packer;
use super::words::in_words;
use crate::clean::clean;
use crate::secret::Credential;

/// To get a connection.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For a whole request.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// Longest answer taken, in bytes.
const ANSWER_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Buffers of a connection, in bytes: small, since there is one connection all day long.
const BUFFER_BYTES: usize = 16 * 1024;
/// Where Linux systems keep the authorities that they trust.
const SYSTEM_BUNDLES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"];

/// A portal that can be asked.
#[derive(Clone, Debug)]
pub struct Portal {
    pub(super) agent: ureq::Agent,
    pub(super) address: Address,
    packer: Arc<Packer>,
}

/// Why the portal did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortalError {
    /// No answer.
    #[error("the portal {address} cannot be reached: {cause}")]
    Unreachable {
        /// Address.
        address: String,
        /// In words.
        cause: String,
    },
    /// It answers with a refusal.
    #[error("{message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// Code of the refusal, where it is one of Berth's.
        code: Option<ErrorCode>,
        /// What it says, cleaned.
        message: String,
        /// How long it wants to be left alone, in seconds.
        retry_after_s: u64,
    },
    /// It answers something that is not Berth.
    #[error("{address} answers, but not like a Berth portal ({detail}). Is the address right?")]
    NotBerth {
        /// Address.
        address: String,
        /// What was odd.
        detail: String,
    },
}

impl PortalError {
    /// The portal does not know this host's credential, or has it revoked.
    #[must_use]
    pub fn is_unknown_agent(&self) -> bool {
        matches!(self, Self::Refused { code: Some(ErrorCode::UnknownAgent | ErrorCode::RevokedAgent), .. })
    }

    /// The portal cannot read the body, perhaps because it cannot unpack it.
    fn is_about_packing(&self) -> bool {
        let codes = [ErrorCode::UnknownEncoding, ErrorCode::Malformed];
        matches!(self, Self::Refused { code: Some(code), .. } if codes.contains(code))
    }

    /// How long the portal wants to be left alone.
    #[must_use]
    pub fn retry_after(&self) -> Duration {
        match self {
            Self::Refused { retry_after_s, .. } => Duration::from_secs(*retry_after_s),
            _ => Duration::ZERO,
        }
    }
}

/// The certificate file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{} holds no certificate that can be read: {cause}", .path.display())]
pub struct BadCaFile {
    path: PathBuf,
    cause: String,
}

impl Portal {
    /// Prepares requests; sends nothing. `ca_file` is trusted besides the system's authorities.
    ///
    /// # Errors
    /// [`BadCaFile`] where that file is not PEM.
    pub fn new(address: Address, ca_file: Option<&Path>) -> Result<Self, BadCaFile> {
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would carry the credential elsewhere.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("berth/", env!("CARGO_PKG_VERSION")))
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .max_idle_connections(2)
            .max_idle_connections_per_host(2);
        if address.is_loopback() {
            config = config.proxy(None);
        }
        if address.is_tls() {
            config = config.tls_config(TlsConfig::builder().root_certs(roots(ca_file)?).build());
        }
        Ok(Self { agent: config.build().new_agent(), address, packer: Arc::new(Packer::new()) })
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Exchanges a one-time code for a credential.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn enrol(&self, request: &EnrolRequest) -> Result<EnrolReply, PortalError> {
        self.post(ENROL_PATH, None, request)
    }

    /// Tells what the cards do; brings the bookings back.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn report(&self, credential: &Credential, report: &Report) -> Result<ReportReply, PortalError> {
        self.post_packed(REPORT_PATH, credential, report)
    }

    /// Brings recorded minutes.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn minutes(&self, credential: &Credential, minutes: &Minutes) -> Result<MinutesReply, PortalError> {
        self.post_packed(MINUTES_PATH, credential, minutes)
    }

    /// Says whose account it was that gave a code.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn link(&self, credential: &Credential, request: &LinkRequest) -> Result<LinkReply, PortalError> {
        self.post(LINK_PATH, Some(credential), request)
    }

    /// Books cards in the name of somebody with an account here.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn book(&self, credential: &Credential, ask: &HostBooking) -> Result<HostBooked, PortalError> {
        self.post(BOOK_PATH, Some(credential), ask)
    }

    /// Changes such a booking.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn change(&self, credential: &Credential, ask: &HostChange) -> Result<HostChanged, PortalError> {
        self.post(CHANGE_PATH, Some(credential), ask)
    }

    /// Asks for a new credential.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn rotate(&self, credential: &Credential) -> Result<RotateReply, PortalError> {
        self.post(ROTATE_PATH, Some(credential), &serde_json::json!({}))
    }

    /// Asks who this host is. Changes nothing.
    ///
    /// # Errors
    /// [`PortalError`].
    pub fn whoami(&self, credential: &Credential) -> Result<SelfReply, PortalError> {
        let request = self.agent.get(self.address.join(SELF_PATH));
        let request = request.header("authorization", format!("Bearer {}", credential.expose()));
        self.read(request.call().map_err(|error| self.unreachable(&error))?)
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        credential: Option<&Credential>,
        body: &impl Serialize,
    ) -> Result<T, PortalError> {
        let body = serde_json::to_vec(body).map_err(|error| self.not_berth(&error))?;
        self.post_bytes(path, credential, &body, false)
    }

    /// Sends it as gzip, and once more as it is to a portal that is too old to unpack it.
    fn post_packed<T: DeserializeOwned>(
        &self,
        path: &str,
        credential: &Credential,
        body: &impl Serialize,
    ) -> Result<T, PortalError> {
        let body = serde_json::to_vec(body).map_err(|error| self.not_berth(&error))?;
        let Some(packed) = self.packer.pack(&body) else {
            return self.post_bytes(path, Some(credential), &body, false);
        };
        let reply = self.post_bytes(path, Some(credential), &packed, true);
        if !reply.as_ref().is_err_and(PortalError::is_about_packing) {
            return reply;
        }
        let plain = self.post_bytes(path, Some(credential), &body, false);
        if plain.is_ok() {
            self.packer.give_up();
        }
        plain
    }

    fn post_bytes<T: DeserializeOwned>(
        &self,
        path: &str,
        credential: Option<&Credential>,
        body: &[u8],
        is_packed: bool,
    ) -> Result<T, PortalError> {
        let mut request = self.agent.post(self.address.join(path)).content_type("application/json");
        if is_packed {
            request = request.header("content-encoding", "gzip");
        }
        if let Some(credential) = credential {
            request = request.header("authorization", format!("Bearer {}", credential.expose()));
        }
        self.read(request.send(body).map_err(|error| self.unreachable(&error))?)
    }

    fn read<T: DeserializeOwned>(&self, mut response: Response<Body>) -> Result<T, PortalError> {
        let status = response.status();
        let answer = response.body_mut().with_config().limit(ANSWER_MAX_BYTES).read_to_vec();
        let answer = answer.map_err(|error| self.unreachable(&error))?;
        if status.is_success() {
            return serde_json::from_slice(&answer).map_err(|error| self.not_berth(&error));
        }
        if status.is_redirection() {
            let to = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or("elsewhere");
            return Err(self.not_berth(&format!("it sends us to {to}")));
        }
        match serde_json::from_slice::<Problem>(&answer) {
            Ok(problem) => Err(problem.into_error(status.as_u16())),
            Err(_) => Err(self.not_berth(&format!("HTTP status {}", status.as_u16()))),
        }
    }

    fn unreachable(&self, error: &ureq::Error) -> PortalError {
        PortalError::Unreachable { address: self.address.to_string(), cause: clean(&in_words(error)) }
    }

    fn not_berth(&self, detail: &impl ToString) -> PortalError {
        PortalError::NotBerth { address: self.address.to_string(), detail: clean(&detail.to_string()) }
    }
}

/// A refusal as problem JSON; only what is used here.
#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    detail: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    retry_after: Option<u64>,
}

impl Problem {
    fn into_error(self, status: u16) -> PortalError {
        let known = |code: String| ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code);
        let said = self.detail.or(self.title).map(|text| clean(&text));
        let message = said.unwrap_or_else(|| format!("the portal answers with HTTP status {status}"));
        let retry_after_s = self.retry_after.unwrap_or(0);
        PortalError::Refused { status, code: self.code.and_then(known), message, retry_after_s }
    }
}

/// The system's authorities and our own; Mozilla's where the system has none.
fn roots(ca_file: Option<&Path>) -> Result<RootCerts, BadCaFile> {
    let mut certificates: Vec<Certificate<'static>> = SYSTEM_BUNDLES
        .iter()
        .find_map(|bundle| fs::read(bundle).ok())
        .map(|pem| certificates(&pem))
        .unwrap_or_default();
    if let Some(path) = ca_file {
        let bad = |cause: String| BadCaFile { path: path.to_path_buf(), cause };
        let own = self::certificates(&fs::read(path).map_err(|error| bad(error.to_string()))?);
        if own.is_empty() {
            return Err(bad("there is no PEM certificate in it".to_owned()));
        }
        certificates.extend(own);
    }
    Ok(if certificates.is_empty() { RootCerts::WebPki } else { RootCerts::from(certificates) })
}

fn certificates(pem: &[u8]) -> Vec<Certificate<'static>> {
    let items = parse_pem(pem).filter_map(Result::ok);
    items.filter_map(|item| if let PemItem::Certificate(one) = item { Some(one) } else { None }).collect()
}
