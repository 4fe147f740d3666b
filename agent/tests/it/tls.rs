//! Portals with certificates of an authority of one's own, made here.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::support::eventually;
use crate::support::host::Host;
use crate::support::portal::{Mood, Portal};
use crate::support::program::Said;
use crate::support::scene::table;

/// An authority that nobody has heard of.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("params");
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("signed"))
    }

    /// Its certificate as a file in the host's folder.
    fn file(&self, host: &Host, name: &str) -> PathBuf {
        let path = host.folder().join(name);
        std::fs::write(&path, self.0.pem()).expect("written");
        path
    }

    /// What a portal of this name, valid in these years, shows.
    fn serves(&self, name: &str, years: std::ops::Range<i32>) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("params");
        params.not_before = rcgen::date_time_ymd(years.start, 1, 1);
        params.not_after = rcgen::date_time_ymd(years.end, 1, 1);
        let key = KeyPair::generate().expect("a key");
        let certificate: CertificateDer<'static> = params.signed_by(&key, &self.0).expect("signed").der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().expect("versions").with_no_client_auth();
        Arc::new(config.with_single_cert(vec![certificate], key).expect("a pair"))
    }
}

fn portal(tls: Arc<ServerConfig>) -> (Portal, String) {
    let portal = Portal::start_with(Mood::Fine(Box::new(table(vec![]))), Some(tls));
    let url = format!("https://{}", portal.address);
    (portal, url)
}

fn enrol(host: &Host, url: &str, ca_file: Option<&PathBuf>) -> Said {
    let mut args = vec!["enrol".to_owned(), url.to_owned()];
    args.extend(ca_file.map(|file| format!("--ca-file={}", file.display())));
    host.with_input(&args.iter().map(String::as_str).collect::<Vec<_>>(), "GOOD-CODE\n")
}

#[test]
fn an_authority_of_one_s_own_is_trusted_where_it_is_named() {
    let ours = Authority::new("The lab's own");
    let (portal, url) = portal(ours.serves("127.0.0.1", 2020..2100));
    let host = Host::new();
    let said = enrol(&host, &url, Some(&ours.file(&host, "ours.pem")));
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    // The agent remembers it, also from another folder.
    let agent = host.agent();
    eventually("reports", || portal.reports().len() > 2);
    assert!(!agent.log().contains("level=warn"), "{}", agent.log());
    assert_eq!(host.run(&["agent", "rotate"]).code, Some(0));
}

#[test]
fn certificates_that_are_not_to_be_trusted_say_why() {
    let (ours, others) = (Authority::new("Ours"), Authority::new("Somebody's"));
    let host = Host::new();
    let file = ours.file(&host, "ours.pem");
    for (tls, ca_file, why) in [
        (ours.serves("127.0.0.1", 2020..2100), None, "nobody that this machine trusts has signed it"),
        (others.serves("127.0.0.1", 2020..2100), Some(&file), "--ca-file names an authority of your own"),
        (ours.serves("127.0.0.1", 2020..2021), Some(&file), "it has expired, or this machine's clock is wrong"),
        (ours.serves("127.0.0.1", 2099..2100), Some(&file), "it is not valid yet"),
        (ours.serves("berth.example.org", 2020..2100), Some(&file), "it is for another name"),
    ] {
        let (portal, url) = portal(tls);
        let said = enrol(&host, &url, ca_file);
        assert_eq!(said.code, Some(1), "{why}");
        assert!(said.stderr.contains("its certificate is not trusted: "), "{}", said.stderr);
        assert!(said.stderr.contains(why) && said.stderr.contains("The code has not been used."), "{}", said.stderr);
        assert!(portal.sent_to("/api/v1/agent/enrol").is_empty(), "the code went out");
    }
}

#[test]
fn plain_http_behind_https_is_told_apart() {
    let portal = Portal::fine(table(vec![]));
    let said = enrol(&Host::new(), &format!("https://{}", portal.address), None);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("it does not speak TLS there"), "{}", said.stderr);
}

#[test]
fn an_image_gets_a_copy_of_the_authority() {
    let ours = Authority::new("Ours");
    let (_portal, url) = portal(ours.serves("127.0.0.1", 2020..2100));
    let host = Host::new();
    let image = host.folder().join("image");
    let file = ours.file(&host, "ours.pem");
    let args = ["enrol", &url, "--root", &image.to_string_lossy(), "--ca-file", &file.to_string_lossy()];
    let said = host.with_input(&args, "GOOD-CODE\n");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let state = image.join("var/lib/berth-agent");
    assert_eq!(std::fs::read(state.join("ca.pem")).expect("a copy"), std::fs::read(&file).expect("the original"));
    let kept = std::fs::read_to_string(state.join("credential.json")).expect("read");
    assert!(kept.contains(r#""ca_file":"/var/lib/berth-agent/ca.pem""#), "as the image's own system sees it");
}
