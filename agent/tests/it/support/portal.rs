//! A portal of a few lines: keeps what it is sent and answers what the test has set.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use domain::id::{HostId, ReservationId};
use domain::window::Window;
use domain::wire::agent_v1::{EnrolReply, HostTable, LinkReply, ReportReply, RotateReply, SelfReply};
use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH, HostAct, HostBooked, HostBooking, HostChange, HostChanged, Which};
use domain::wire::minutes_v1::{HostMinute, MINUTES_PATH, Minutes, MinutesReply};
use flate2::read::GzDecoder;
use time::OffsetDateTime;

use super::scene::uuid;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub authorization: Option<String>,
    pub body: serde_json::Value,
    /// It came as gzip.
    pub packed: bool,
    /// Its size on the wire.
    pub size: usize,
}

/// What the portal does with requests.
#[derive(Clone)]
pub enum Mood {
    /// Takes reports and gives this table.
    Fine(Box<HostTable>),
    /// The same, and wants the host to renew its credential.
    Asks(Box<HostTable>),
    /// The same, but of a version that can renew no credential.
    Older(Box<HostTable>),
    /// Refuses everything with a problem.
    Refuses(u16, &'static str, &'static str),
    /// Takes reports, and hangs up on the record: after it has kept it, or before.
    HangsUpOnRecord(Box<HostTable>, bool),
    /// Takes reports, and refuses every message with a part of the record of this number as one that it cannot read;
    /// without a number every message.
    RefusesRecord(Box<HostTable>, Option<u64>),
    /// Takes what comes and hangs up before it has said so.
    Forgetful,
    /// Hangs up on everybody.
    Away,
    /// Takes requests and never answers.
    Silent,
    /// Answers this, whatever is asked: status line, extra header lines, body.
    Says(&'static str, &'static str, &'static str),
}

pub struct Portal {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    mood: Mutex<Mood>,
    requests: Mutex<Vec<Request>>,
    enrolled: Mutex<u32>,
    renewed: Mutex<u32>,
    /// How far its clock is ahead, in seconds.
    ahead_s: Mutex<i64>,
    /// Its clock runs: a table says when it was given.
    runs: Mutex<bool>,
    interval_ms: Mutex<Option<u32>>,
    want_inventory: Mutex<bool>,
    /// Minutes as a portal keeps them: each part once.
    ledger: Mutex<BTreeMap<(OffsetDateTime, u64), HostMinute>>,
}

impl Portal {
    pub fn start(mood: Mood) -> Self {
        Self::start_with(mood, None)
    }

    /// The same, with TLS where that is set up.
    pub fn start_with(mood: Mood, tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("port");
        let address = listener.local_addr().expect("address");
        let shared = Arc::new(Shared {
            mood: Mutex::new(mood),
            requests: Mutex::default(),
            enrolled: Mutex::default(),
            renewed: Mutex::default(),
            ahead_s: Mutex::default(),
            runs: Mutex::default(),
            interval_ms: Mutex::default(),
            want_inventory: Mutex::default(),
            ledger: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, tls) = (Arc::clone(&served), tls.clone());
                std::thread::spawn(move || match tls {
                    None => shared.serve(stream),
                    Some(config) => {
                        let connection = rustls::ServerConnection::new(config).expect("a connection");
                        shared.serve(rustls::StreamOwned::new(connection, stream));
                    }
                });
            }
        });
        Self { address, shared }
    }

    /// Its clock is so many seconds ahead of ours.
    pub fn set_ahead(&self, seconds: i64) {
        *self.shared.ahead_s.lock().expect("clock") = seconds;
    }

    /// From now on its clock runs.
    pub fn run_clock(&self) {
        *self.shared.runs.lock().expect("clock") = true;
    }

    /// Asks for reports so often.
    pub fn ask_every(&self, ms: u32) {
        *self.shared.interval_ms.lock().expect("interval") = Some(ms);
    }

    /// Asks for the inventory, or no longer.
    pub fn ask_inventory(&self, wanted: bool) {
        *self.shared.want_inventory.lock().expect("wish") = wanted;
    }

    /// The minutes that it has taken, in order.
    pub fn ledger(&self) -> Vec<HostMinute> {
        self.shared.ledger.lock().expect("ledger").values().cloned().collect()
    }

    pub fn fine(table: HostTable) -> Self {
        Self::start(Mood::Fine(Box::new(table)))
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set(&self, mood: Mood) {
        *self.shared.mood.lock().expect("mood") = mood;
    }

    pub fn give(&self, table: HostTable) {
        self.set(Mood::Fine(Box::new(table)));
    }

    /// Everything that came to this path so far.
    pub fn sent_to(&self, path: &str) -> Vec<Request> {
        let requests = self.shared.requests.lock().expect("requests");
        requests.iter().filter(|request| request.path == path).cloned().collect()
    }

    pub fn reports(&self) -> Vec<Request> {
        self.sent_to("/api/v1/agent/report")
    }
}

impl Shared {
    fn health(&self, status: &str, word: &str) -> String {
        let now = OffsetDateTime::now_utc() + time::Duration::seconds(*self.ahead_s.lock().expect("clock"));
        let date = now.format(&time::format_description::well_known::Rfc2822).expect("a date").replace("+0000", "GMT");
        let body = serde_json::json!({ "status": word, "database": word, "version": "0.1.0" });
        http(status, &format!("content-type: application/json\r\ndate: {date}\r\n"), &body.to_string())
    }

    fn keep(&self, request: &Request) {
        if request.path == MINUTES_PATH {
            let message: Minutes = serde_json::from_value(request.body.clone()).expect("minutes");
            let mut ledger = self.ledger.lock().expect("ledger");
            for minute in message.minutes {
                ledger.entry((minute.minute, minute.part)).or_insert(minute);
            }
        }
    }

    fn table(&self, table: &HostTable) -> HostTable {
        let mut table = table.clone();
        if *self.runs.lock().expect("clock") {
            table.made_at = OffsetDateTime::now_utc();
        }
        table
    }

    fn serve(&self, stream: impl Read + Write) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read(&mut reader) {
            let mood = self.mood.lock().expect("mood").clone();
            let answer = match (&mood, request.path.as_str()) {
                (Mood::Away, _) => {
                    self.requests.lock().expect("requests").push(request);
                    return;
                }
                (Mood::HangsUpOnRecord(_, keeps), MINUTES_PATH) => {
                    if *keeps {
                        self.keep(&request);
                    }
                    self.requests.lock().expect("requests").push(request);
                    return;
                }
                (Mood::RefusesRecord(_, bad), MINUTES_PATH) => {
                    let message: Minutes = serde_json::from_value(request.body.clone()).expect("minutes");
                    if bad.is_none_or(|bad| message.minutes.iter().any(|minute| minute.part == bad)) {
                        problem(422, "input.invalid", "What is this?")
                    } else {
                        self.keep(&request);
                        json(&MinutesReply::default())
                    }
                }
                (Mood::Forgetful, _) => {
                    self.keep(&request);
                    self.requests.lock().expect("requests").push(request);
                    return;
                }
                (Mood::Silent, _) => {
                    self.requests.lock().expect("requests").push(request);
                    std::thread::sleep(std::time::Duration::from_secs(60));
                    return;
                }
                (Mood::Fine(_), "/healthz") => self.health("200 OK", "ok"),
                (Mood::Refuses(503, ..), "/healthz") => self.health("503 Service Unavailable", "degraded"),
                (Mood::Refuses(..), "/healthz") => self.health("200 OK", "ok"),
                (Mood::Refuses(status, code, detail), _) => problem(*status, code, detail),
                (Mood::Says(status, headers, body), _) => http(status, headers, body),
                (Mood::Fine(_), "/api/v1/agent/enrol") if request.body["code"] == "GOOD-CODE" => {
                    let mut enrolled = self.enrolled.lock().expect("count");
                    *enrolled += 1;
                    json(&EnrolReply {
                        host: HostId(uuid::Uuid::from_u128(9)),
                        host_name: "dgx-h100".to_owned(),
                        credential: format!("bh_credential-{enrolled}"),
                    })
                }
                (Mood::Fine(_), "/api/v1/agent/enrol") => problem(403, "agent.wrong_code", "Wrong code."),
                (Mood::Fine(_), "/api/v1/agent/link") if request.body["code"] == "GOOD-CODE" => {
                    json(&LinkReply { name: "Ada Lovelace".to_owned() })
                }
                (Mood::Fine(_), "/api/v1/agent/link") => problem(403, "link.wrong_code", "This code does not work."),
                (Mood::Fine(_) | Mood::Asks(_), "/api/v1/agent/rotate") => {
                    let mut renewed = self.renewed.lock().expect("count");
                    *renewed += 1;
                    json(&RotateReply { credential: format!("bh_renewed-{renewed}") })
                }
                (Mood::Older(_), "/api/v1/agent/rotate") => problem(404, "not_found", "There is nothing here."),
                (Mood::Fine(_), "/api/v1/agent/self") => {
                    json(&SelfReply { host: HostId(uuid::Uuid::from_u128(9)), host_name: "dgx-h100".to_owned() })
                }
                (Mood::Fine(_), BOOK_PATH) => {
                    let ask: HostBooking = serde_json::from_value(request.body.clone()).expect("a booking");
                    let start = OffsetDateTime::now_utc();
                    let window = Window::new(start, start + time::Duration::minutes(ask.minutes.into()));
                    json(&HostBooked {
                        // Its key names it.
                        reservation: ReservationId(ask.key),
                        cards: (0..ask.count).map(uuid).collect(),
                        window: window.expect("not empty"),
                        awaits: false,
                    })
                }
                (Mood::Fine(_), CHANGE_PATH) => {
                    let ask: HostChange = serde_json::from_value(request.body.clone()).expect("a change");
                    let (Which::Id(ReservationId(id)) | Which::Key(id)) = ask.booking;
                    let window = match ask.act {
                        HostAct::Until(end) => Window::new(OffsetDateTime::now_utc(), end).ok(),
                        HostAct::End => None,
                    };
                    json(&HostChanged { reservation: Some(ReservationId(id)), window })
                }
                (Mood::Fine(_), MINUTES_PATH) => {
                    self.keep(&request);
                    json(&MinutesReply::default())
                }
                (Mood::Asks(_) | Mood::Older(_), MINUTES_PATH) => problem(404, "not_found", "There is nothing here."),
                (
                    Mood::Fine(table)
                    | Mood::Asks(table)
                    | Mood::Older(table)
                    | Mood::HangsUpOnRecord(table, _)
                    | Mood::RefusesRecord(table, _),
                    _,
                ) => json(&ReportReply {
                    table: self.table(table),
                    interval_ms: *self.interval_ms.lock().expect("interval"),
                    want_inventory: *self.want_inventory.lock().expect("wish"),
                    rotate_credential: matches!(mood, Mood::Asks(_)),
                }),
            };
            self.requests.lock().expect("requests").push(request);
            if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
        // As servers do where they cannot read what comes.
        let _ = reader.get_mut().write_all(http("400 Bad Request", "connection: close\r\n", "").as_bytes());
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let (mut authorization, mut length, mut packed) = (None, 0usize, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.to_owned()),
            "content-encoding" => packed = value == "gzip",
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let size = body.len();
    if packed {
        let mut plain = Vec::new();
        GzDecoder::new(&body[..]).read_to_end(&mut plain).ok()?;
        body = plain;
    }
    let body = if body.is_empty() { serde_json::Value::Null } else { serde_json::from_slice(&body).ok()? };
    Some(Request { path, authorization, body, packed, size })
}

fn json(body: &impl serde::Serialize) -> String {
    http("200 OK", "content-type: application/json\r\n", &serde_json::to_string(body).expect("json"))
}

fn problem(status: u16, code: &str, detail: &str) -> String {
    let body = serde_json::json!({ "type": "about:blank", "title": "No", "status": status, "detail": detail, "code": code,
                                   "message": detail });
    http(&format!("{status} No"), "content-type: application/problem+json\r\n", &body.to_string())
}

fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}
