//! Settings: what is refused, what is told, and that the README tells the same.

use clap::Parser;
use server::config::{Cli, Config, Database, Exposure, table};

use crate::support::program::{command, run};

fn check(flags: &[&str]) -> Result<Config, String> {
    let args = [&["berth-server", "--data-dir=/nowhere"], flags].concat();
    Cli::try_parse_from(args).map_err(|error| error.to_string())?.settings.check().map_err(|error| error.to_string())
}

#[test]
fn plain_http_stays_on_this_machine_unless_the_operator_says_so() {
    assert_eq!(check(&[]).map(|config| config.exposure), Ok(Exposure::Loopback));
    assert_eq!(check(&["--listen=[::1]:3000"]).map(|config| config.exposure), Ok(Exposure::Loopback));
    for beyond in ["--listen=0.0.0.0:3000", "--listen=192.0.2.1:3000", "--listen=[::]:3000"] {
        let refusal = check(&[beyond]).expect_err(beyond);
        assert!(
            refusal.contains("BERTH_PUBLIC_URL=https://") && refusal.contains("BERTH_INSECURE_HTTP=1"),
            "{refusal}"
        );
        assert!(check(&[beyond, "--public-url=http://gpu.example.org"]).is_err(), "http is no better: {beyond}");

        let proxied = check(&[beyond, "--public-url=https://gpu.example.org"]).expect("allowed");
        assert!(proxied.secure_cookies() && !proxied.warns_of_http());
        let insecure = check(&[beyond, "--insecure-http"]).expect("allowed");
        assert!(!insecure.secure_cookies() && insecure.warns_of_http());
    }
    let loopback = check(&["--insecure-http"]).expect("allowed");
    assert!(!loopback.warns_of_http(), "nobody else can come, so there is nothing to warn of");
}

#[test]
fn what_does_not_fit_is_one_readable_line_and_exit_code_2() {
    for (flags, words) in [
        (vec!["--listen=0.0.0.0:3000"], "refusing to listen on 0.0.0.0:3000"),
        (vec!["--listen=nonsense"], "--listen"),
        (vec!["--public-url=gpu.example.org/x"], "BERTH_PUBLIC_URL"),
        (vec!["--public-url=ftp://gpu.example.org"], "BERTH_PUBLIC_URL"),
        (vec!["--database-url=mysql://x"], "DATABASE_URL is not a Postgres address"),
        (vec!["--database-url-file=/nonexistent"], "DATABASE_URL_FILE"),
        (vec!["--log=[["], "BERTH_LOG"),
        (vec!["--insecure-http=maybe"], "insecure-http"),
        (vec!["--no-such-flag"], "--no-such-flag"),
    ] {
        let flags = [flags, vec!["--data-dir=/nonexistent/berth"]].concat();
        run(&mut command(&flags)).refused(2, &[words]);
    }
}

#[test]
fn settings_come_from_the_environment_and_a_flag_wins() {
    let port = |command: &mut std::process::Command| run(command).said;
    let said = port(command(&[]).env("BERTH_LISTEN", "0.0.0.0:1").env("BERTH_DATA_DIR", "/nonexistent"));
    assert!(said.contains("0.0.0.0:1"), "{said}");
    let said = port(command(&["--listen=0.0.0.0:2"]).env("BERTH_LISTEN", "0.0.0.0:1"));
    assert!(said.contains("0.0.0.0:2"), "{said}");
}

#[test]
fn no_secret_is_shown() {
    let config = check(&["--database-url=postgres://berth:hunter2@db/berth"]).expect("valid");
    assert!(!format!("{config:?}").contains("hunter2"), "{config:?}");
    let Database::Url(url) = &config.database else { panic!("not what was set") };
    assert!(url.reveal().contains("hunter2"));
    let help = run(command(&["--help"]).env("DATABASE_URL", "postgres://berth:hunter2@db/berth"));
    assert_eq!(help.status.code(), Some(0));
    assert!(help.said.contains("DATABASE_URL") && !help.said.contains("hunter2"), "{}", help.said);
}

#[test]
fn public_addresses_are_compared_as_browsers_write_them() {
    for (given, origin) in [
        ("https://GPU.example.org/", "https://gpu.example.org"),
        ("https://gpu.example.org:443", "https://gpu.example.org"),
        ("https://gpu.example.org:8443", "https://gpu.example.org:8443"),
    ] {
        let config = check(&[&format!("--public-url={given}")]).expect("valid");
        assert_eq!(config.public_origin.as_deref(), Some(origin));
    }
}

#[test]
fn the_version_is_told() {
    let ended = run(&mut command(&["--version"]));
    assert_eq!(ended.said.trim(), concat!("berth-server ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_readme_has_the_same_table() {
    let readme = include_str!("../../../../README.md");
    let begin = "<!-- config:server -->\n";
    let section = readme.split(begin).nth(1).and_then(|rest| rest.split("<!-- /config -->").next());
    assert_eq!(section.expect("markers in README.md"), table(), "update it with `berth-server config-table`");
}
