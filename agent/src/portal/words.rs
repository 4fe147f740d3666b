//! What went wrong on the way to the portal, in words that say what to do.

use std::fmt::Display;
use std::io;

use super::client::{CONNECT_TIMEOUT, TIMEOUT};

/// Signs in the library's texts that TLS failed, and not what lies below it.
const TLS_MARKS: [&str; 5] = ["certificate", "corrupt message", "fatal alert", "TLS", "tls"];

/// The cause of a failed request.
pub(super) fn in_words(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "its name cannot be resolved".to_owned(),
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())
        }
        ureq::Error::Timeout(_) => format!("no answer within {} s", TIMEOUT.as_secs()),
        ureq::Error::Io(error) => io_in_words(error),
        ureq::Error::Rustls(error) => tls_in_words(error),
        other => other.to_string(),
    }
}

/// The connection was there and TLS did not come about.
pub(super) fn is_tls_trouble(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Rustls(_) => true,
        ureq::Error::Io(error) => TLS_MARKS.iter().any(|mark| error.to_string().contains(mark)),
        _ => false,
    }
}

/// The library hands on what the resolver and TLS say as errors of reading and writing.
fn io_in_words(error: &io::Error) -> String {
    let text = error.to_string();
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        _ if TLS_MARKS.iter().any(|mark| text.contains(mark)) => tls_in_words(&text),
        _ if text.contains("lookup address") => "its name cannot be resolved".to_owned(),
        _ => text,
    }
}

fn tls_in_words(error: &dyn Display) -> String {
    let text = error.to_string();
    if !text.contains("certificate") {
        return format!("it does not speak TLS there, or none that is safe ({text}); is the port right?");
    }
    // Some causes are named in words, some as the library's code calls them.
    let plain: String = text.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    let because = [
        ("unknownissuer", "nobody that this machine trusts has signed it; --ca-file names an authority of your own"),
        ("causedasendentity", "it is an authority's, not a server's; --ca-file names an authority of your own"),
        ("expired", "it has expired, or this machine's clock is wrong"),
        ("notvalidyet", "it is not valid yet, or this machine's clock is wrong"),
        ("notvalidforname", "it is for another name than the one in the address"),
    ];
    match because.iter().find(|(mark, _)| plain.contains(mark)) {
        Some((_, why)) => format!("its certificate is not trusted: {why} ({text})"),
        None => format!("its certificate is not trusted ({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_fail_says_what_to_do() {
        let io = |text: &str| ureq::Error::Io(io::Error::new(io::ErrorKind::InvalidData, text));
        for (error, tls, words) in [
            (ureq::Error::HostNotFound, false, "its name cannot be resolved"),
            (ureq::Error::Io(io::ErrorKind::ConnectionRefused.into()), false, "nothing listens there"),
            (io("failed to lookup address information: x"), false, "its name cannot be resolved"),
            (io("invalid peer certificate: UnknownIssuer"), true, "--ca-file names an authority of your own"),
            (
                io("invalid peer certificate: certificate expired: verification time 1"),
                true,
                "it has expired, or this machine's clock is wrong",
            ),
            (io("invalid peer certificate: NotValidForName"), true, "for another name"),
            (io("received corrupt message of type InvalidContentType"), true, "does not speak TLS there"),
        ] {
            assert_eq!(is_tls_trouble(&error), tls, "{error}");
            assert!(in_words(&error).contains(words), "{}", in_words(&error));
        }
    }
}
