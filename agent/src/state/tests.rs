use std::os::unix::fs::PermissionsExt;

use super::*;

fn credential(text: &str) -> Credential {
    Credential::parse(text).expect("valid")
}

fn enrolment() -> Enrolment {
    Enrolment {
        server: "https://berth.example.org".to_owned(),
        host: HostId(uuid::Uuid::from_u128(1)),
        host_name: "dgx".to_owned(),
        credential: credential("bh_secret"),
        previous: None,
        since: Some(time::macros::datetime!(2026-11-30 12:00 UTC)),
        insecure: false,
        ca_file: Some("/etc/lab-ca.pem".into()),
    }
}

#[test]
fn the_credential_is_for_the_owner_alone() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a/b");
    let dir = StateDir::open(&path).expect("opened");
    assert_eq!(dir.enrolment().expect("read"), None);
    dir.keep_enrolment(&enrolment()).expect("written");
    assert_eq!(dir.enrolment().expect("read"), Some(enrolment()));
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&path.join(CREDENTIAL_FILE))), (0o700, 0o600));
    let mut left: Vec<_> = fs::read_dir(&path).expect("listed").flatten().map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, [CREDENTIAL_FILE, CREDENTIAL_LOCK_FILE]);
}

#[test]
fn a_credential_that_others_may_read_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let dir = StateDir::open(folder.path()).expect("opened");
    dir.keep_enrolment(&enrolment()).expect("written");
    let file = folder.path().join(CREDENTIAL_FILE);
    for mode in [0o604, 0o640, 0o660, 0o601] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
        let error = dir.enrolment().expect_err("too open");
        assert!(matches!(error, StateError::TooOpen { mode: found, .. } if found == mode), "{error}");
        assert!(error.to_string().contains("Run: chmod 600 /"), "{error}");
    }
    for mode in [0o400, 0o600] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
        assert_eq!(dir.enrolment().expect("read"), Some(enrolment()));
    }
}

#[test]
fn a_renewed_credential_takes_the_place_of_the_one_it_was_asked_for_with() {
    let folder = tempfile::tempdir().expect("folder");
    let dir = StateDir::open(folder.path()).expect("opened");
    let (old, new, now) = (credential("bh_secret"), credential("bh_new"), OffsetDateTime::UNIX_EPOCH);
    assert_eq!(dir.renew_credential(&old, new.clone(), now).expect("read"), None);
    dir.keep_enrolment(&enrolment()).expect("written");
    let before = dir.credential_mark();
    assert_eq!(dir.renew_credential(&credential("bh_other"), new.clone(), now).expect("read"), None);
    assert_eq!(dir.credential_mark(), before);
    let renewed = dir.renew_credential(&old, new.clone(), now).expect("written").expect("renewed");
    assert_eq!((renewed.credential, renewed.previous, renewed.since), (new, Some(old.clone()), Some(now)));
    assert_ne!(dir.credential_mark(), before);
    // Back with the one before, after the portal has forgotten the new one.
    dir.renew_credential(&old, credential("bh_third"), now).expect("written").expect("renewed");
}

#[test]
fn what_root_writes_belongs_to_the_folder_s_owner() {
    let folder = tempfile::tempdir().expect("folder");
    let dir = StateDir::open(folder.path()).expect("opened");
    let owner = if geteuid().is_root() { 12345 } else { geteuid().as_raw() };
    std::os::unix::fs::chown(folder.path(), Some(owner), None).expect("given");
    dir.keep_enrolment(&enrolment()).expect("written");
    dir.keep_ca(b"pem").expect("written");
    let within = dir.folder("within").expect("made");
    give_to_owner_of(&within, &File::create(within.join("file")).expect("made")).expect("given");
    assert_eq!(fs::metadata(within.join("file")).expect("there").uid(), owner);
    drop(dir.claim().expect("claimed"));
    for entry in fs::read_dir(folder.path()).expect("listed").flatten() {
        assert_eq!(entry.metadata().expect("there").uid(), owner, "{entry:?}");
    }
    // That account cannot have root write elsewhere.
    let elsewhere = tempfile::NamedTempFile::new().expect("file");
    fs::remove_file(folder.path().join(LOCK_FILE)).expect("removed");
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(LOCK_FILE)).expect("linked");
    assert!(matches!(dir.claim(), Err(StateError::Io { .. })));
}

#[test]
fn links_in_the_folder_are_not_followed() {
    let (folder, elsewhere) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    let dir = StateDir::open(folder.path()).expect("opened");
    let other = StateDir::open(elsewhere.path()).expect("opened");
    let ca_file = Some(folder.path().join(CA_FILE));
    other.keep_enrolment(&Enrolment { ca_file, ..enrolment() }).expect("written");
    other.write(TABLE_FILE, b"{}").expect("written");
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(elsewhere.path().join(to), folder.path().join(from)).expect("linked");
    };
    let refused = |error: StateError| assert!(matches!(error, StateError::Io { .. }), "{error}");

    link(CREDENTIAL_FILE, CREDENTIAL_FILE);
    let error = dir.enrolment().expect_err("a link");
    assert!(error.to_string().contains("links in this folder are not followed"), "{error}");
    assert_ne!(dir.credential_mark(), other.credential_mark());
    link(TABLE_FILE, TABLE_FILE);
    refused(dir.table().expect_err("a link"));
    link("within", "");
    refused(dir.folder("within").expect_err("a link"));
    link("ca.pem", "ca.pem");
    fs::remove_file(folder.path().join(CREDENTIAL_FILE)).expect("removed");
    fs::copy(elsewhere.path().join(CREDENTIAL_FILE), folder.path().join(CREDENTIAL_FILE)).expect("copied");
    refused(dir.enrolment().expect_err("the certificate is a link"));

    // Nor is one that makes the reader wait.
    fs::remove_file(folder.path().join(TABLE_FILE)).expect("removed");
    nix::unistd::mkfifo(&folder.path().join(TABLE_FILE), nix::sys::stat::Mode::S_IRWXU).expect("made");
    refused(dir.table().expect_err("no plain file"));
    dir.keep_enrolment(&enrolment()).expect("written over");
    assert_eq!(dir.enrolment().expect("read"), Some(enrolment()));
}

#[test]
fn root_works_in_its_own_folder_only() {
    let account = |uid: u32| Uid::from_raw(uid);
    for (who, owner, foreign) in [(0, 0, false), (0, 990, true), (990, 990, false), (990, 0, false)] {
        assert_eq!(is_foreign(account(who), account(owner)), foreign, "{who} in {owner}'s");
    }
}

#[test]
fn files_of_earlier_versions_are_understood() {
    let folder = tempfile::tempdir().expect("folder");
    let dir = StateDir::open(folder.path()).expect("opened");
    let text = r#"{"server":"https://x","host":"00000000-0000-0000-0000-000000000001","host_name":"dgx",
                   "credential":"bh_secret","later":1}"#;
    dir.write(CREDENTIAL_FILE, text.as_bytes()).expect("written");
    let read = dir.enrolment().expect("read").expect("there");
    assert_eq!(
        (read.credential, read.previous, read.since, read.insecure),
        (credential("bh_secret"), None, None, false)
    );
}

#[test]
fn leftovers_of_a_crash_are_no_obstacle() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join(".credential.json.new"), "half").expect("written");
    let dir = StateDir::open(folder.path()).expect("opened");
    dir.keep_enrolment(&enrolment()).expect("written");
    assert_eq!(dir.enrolment().expect("read"), Some(enrolment()));
}

#[test]
fn damage_is_told_with_the_file() {
    let folder = tempfile::tempdir().expect("folder");
    let dir = StateDir::open(folder.path()).expect("opened");
    fs::write(folder.path().join(TABLE_FILE), "{\"table\":").expect("written");
    let error = dir.table().expect_err("damaged").to_string();
    assert!(error.contains("table.json is damaged"), "{error}");
}

#[test]
fn one_agent_for_a_folder() {
    let folder = tempfile::tempdir().expect("folder");
    let dir = StateDir::open(folder.path()).expect("opened");
    let first = dir.claim().expect("free");
    assert!(matches!(dir.claim(), Err(StateError::InUse { .. })));
    drop(first);
    dir.claim().expect("free again");
}
