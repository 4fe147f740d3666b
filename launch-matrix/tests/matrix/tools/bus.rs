//! A socket in the place of a user's systemd: it takes `StartTransientUnit` from `systemd-run` and says that it worked.
//!
//! Of D-Bus just what those few messages need; the format is in the D-Bus specification, "Message Protocol".

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

use crate::stage::{Stage, finish, said};

/// A unit that somebody wants to have started.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub unit: String,
    /// `NAME=value`.
    pub environment: Vec<String>,
    /// Program and arguments.
    pub command: Vec<String>,
}

/// Runs the real `systemd-run` with these arguments and gives back what it asked for.
///
/// # Errors
/// What it said, where it failed.
pub fn ask(stage: &Stage, argv: &[String]) -> Result<Asked, String> {
    let run = stage.path("bus");
    drop(std::fs::remove_dir_all(&run));
    std::fs::create_dir_all(run.join("systemd")).map_err(|error| error.to_string())?;
    let listener = UnixListener::bind(run.join("systemd/private")).map_err(|error| error.to_string())?;
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().map_err(|error| error.to_string())?;
        serve(&stream).map_err(|error| error.to_string())
    });
    let mut process = stage.process("/usr/bin/systemd-run");
    process.args(argv).env("XDG_RUNTIME_DIR", &run).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    let output = finish(&mut process);
    // Nobody may have called: then the thread waits for this.
    drop(UnixStream::connect(run.join("systemd/private")));
    let asked = served.join().map_err(|_| "the thread in systemd's place ended early")?;
    let output = output?;
    if !output.status.success() {
        return Err(said(&output));
    }
    asked?.ok_or_else(|| format!("systemd-run started nothing: {}", said(&output)))
}

fn serve(mut stream: &UnixStream) -> std::io::Result<Option<Asked>> {
    // Who calls says who it is; we believe it.
    let mut said = Vec::new();
    while !said.ends_with(b"BEGIN\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte)? == 0 {
            return Ok(None);
        }
        said.push(byte[0]);
    }
    stream.write_all(b"DATA\r\nOK 5eed5eed5eed5eed5eed5eed5eed5eed\r\nAGREE_UNIX_FD\r\n")?;
    let mut asked = None;
    loop {
        let mut head = [0; 16];
        if stream.read_exact(&mut head).is_err() {
            return Ok(asked);
        }
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (body, serial, fields) = (word(4) as usize, word(8), word(12) as usize);
        let mut rest = vec![0; fields.next_multiple_of(8) + body];
        stream.read_exact(&mut rest)?;
        let fields_end = fields.next_multiple_of(8);
        let header = String::from_utf8_lossy(&rest[..fields_end]).into_owned();
        let wants_answer = head[2 - 1] == 1 && head[2] & 1 == 0;
        if header.contains("StartTransientUnit") {
            let said = unit(&rest[fields_end..]);
            stream.write_all(&returned(serial, "o", &string("/org/freedesktop/systemd1/job/1")))?;
            stream.write_all(&removed(&said.unit))?;
            asked = Some(said);
        } else if wants_answer {
            stream.write_all(&returned(serial, "", &[]))?;
        }
    }
}

/// The body of `StartTransientUnit(s name, s mode, a(sv) properties, a(sa(sv)) others)`.
fn unit(body: &[u8]) -> Asked {
    let mut reader = Reader { body, at: 0 };
    let mut asked = Asked { unit: reader.string(), ..Asked::default() };
    reader.string();
    let length = reader.number() as usize;
    reader.align(8);
    let end = reader.at + length;
    while reader.at < end {
        reader.align(8);
        let name = reader.string();
        match (name.as_str(), reader.signature().as_str()) {
            ("Environment", "as") => asked.environment = reader.strings(),
            ("ExecStart" | "ExecStartEx", signature @ ("a(sasb)" | "a(sasas)")) => {
                let length = reader.number() as usize;
                reader.align(8);
                let end = reader.at + length;
                while reader.at < end {
                    reader.align(8);
                    let path = reader.string();
                    asked.command = reader.strings();
                    if let Some(first) = asked.command.first_mut() {
                        *first = path;
                    }
                    if signature.ends_with("as)") {
                        reader.strings();
                    } else {
                        reader.number();
                    }
                }
            }
            (_, "s" | "o") => {
                reader.string();
            }
            (_, "b" | "u" | "i") => {
                reader.number();
            }
            (_, "t" | "x") => {
                reader.align(8);
                reader.at += 8;
            }
            (_, "as") => {
                reader.strings();
            }
            // Something new: nothing after it can be read.
            _ => break,
        }
    }
    asked
}

struct Reader<'a> {
    body: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    fn number(&mut self) -> u32 {
        self.align(4);
        let bytes = self.body.get(self.at..self.at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 4]);
        self.at += 4;
        u32::from_le_bytes(bytes)
    }

    fn text(&mut self, length: usize) -> String {
        let text = String::from_utf8_lossy(self.body.get(self.at..self.at + length).unwrap_or_default()).into_owned();
        self.at += length + 1;
        text
    }

    fn string(&mut self) -> String {
        let length = self.number() as usize;
        self.text(length)
    }

    fn signature(&mut self) -> String {
        let length = usize::from(self.body.get(self.at).copied().unwrap_or(0));
        self.at += 1;
        self.text(length)
    }

    fn strings(&mut self) -> Vec<String> {
        let length = self.number() as usize;
        let end = self.at + length;
        let mut all = Vec::new();
        while self.at < end {
            all.push(self.string());
        }
        all
    }
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(text.len()).unwrap_or(0).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.push(0);
    bytes
}

fn pad(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

/// A message: its kind, its header fields (each already marshalled), its body.
fn message(kind: u8, fields: &[Vec<u8>], body: &[u8]) -> Vec<u8> {
    let mut header = Vec::new();
    for field in fields {
        pad(&mut header, 8);
        header.extend(field);
    }
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes();
    let mut whole = vec![b'l', kind, 1, 1];
    whole.extend(length(body));
    whole.extend(7u32.to_le_bytes());
    whole.extend(length(&header));
    whole.extend(header);
    pad(&mut whole, 8);
    whole.extend(body);
    whole
}

fn field(code: u8, signature: &str, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![code, u8::try_from(signature.len()).unwrap_or(0)];
    bytes.extend(signature.as_bytes());
    bytes.push(0);
    pad(&mut bytes, if signature == "g" { 1 } else { 4 });
    bytes.extend(value);
    bytes
}

fn signature(text: &str) -> Vec<u8> {
    let mut value = vec![u8::try_from(text.len()).unwrap_or(0)];
    value.extend(text.as_bytes());
    value.push(0);
    field(8, "g", &value)
}

fn returned(serial: u32, kind: &str, body: &[u8]) -> Vec<u8> {
    let mut fields = vec![field(5, "u", &serial.to_le_bytes())];
    if !kind.is_empty() {
        fields.push(signature(kind));
    }
    message(2, &fields, body)
}

/// The signal that the job is done.
fn removed(unit: &str) -> Vec<u8> {
    let mut body = 1u32.to_le_bytes().to_vec();
    for text in ["/org/freedesktop/systemd1/job/1", unit, "done"] {
        pad(&mut body, 4);
        body.extend(string(text));
    }
    let fields = [
        field(1, "o", &string("/org/freedesktop/systemd1")),
        field(2, "s", &string("org.freedesktop.systemd1.Manager")),
        field(3, "s", &string("JobRemoved")),
        signature("uoss"),
    ];
    message(4, &fields, &body)
}
