//! Turns the compiled browser part into the files that the server embeds.
//!
//! ```text
//! web-bundle APP.WASM STYLE_DIR OUT_DIR [--fast]
//! ```
//!
//! Binds the module with the same `wasm-bindgen` that the lock file pins for `app`, so that the two can never drift,
//! shrinks it with `wasm-opt` where that is installed, joins the style sheets, names everything by its content and
//! compresses it. `OUT_DIR/manifest.json` says which names came out. `--fast` skips what only makes files smaller.
//!
//! Where nothing that goes in has changed since, nothing is touched: the server, which embeds the files, would
//! otherwise be compiled anew at every start.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let fast = args.iter().any(|arg| arg == "--fast");
    let paths: Vec<&Path> = args.iter().filter(|arg| *arg != "--fast").map(Path::new).collect();
    let [wasm, style, out] = paths.as_slice() else {
        eprintln!("usage: web-bundle APP.WASM STYLE_DIR OUT_DIR [--fast]");
        return ExitCode::from(2);
    };
    match bundle(wasm, style, out, fast) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("web-bundle: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bundle(wasm: &Path, style: &Path, out: &Path, fast: bool) -> Result<()> {
    let made_of = inputs(wasm, style, fast)?;
    if fs::read_to_string(out.join(MADE_OF)).is_ok_and(|before| before == made_of) {
        return Ok(());
    }
    // Made beside the old one and swapped in at the end, so that a broken build leaves the old site whole.
    let fresh = sibling(out, "new");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh)?;

    let bound = sibling(out, "bound");
    let _ = fs::remove_dir_all(&bound);
    Bindgen::new().input_path(wasm).web(true)?.typescript(false).out_name("berth").generate(&bound)?;
    if bound.join("snippets").exists() {
        return Err("a crate brings JavaScript snippets of its own, which the server does not embed".into());
    }
    let module = bound.join("berth_bg.wasm");
    if !fast {
        optimise(&module)?;
    }

    let mut sizes = Vec::new();
    let mut put = |bytes: &[u8], stem: &str, extension: &str| -> Result<String> {
        let name = format!("{stem}.{}.{extension}", short_hash(bytes));
        fs::write(fresh.join(&name), bytes)?;
        let packed = compress(bytes, fast)?;
        fs::write(fresh.join(format!("{name}.br")), &packed)?;
        sizes.push((name.clone(), bytes.len(), packed.len()));
        Ok(format!("/pkg/{name}"))
    };
    let wasm_url = put(&fs::read(&module)?, "berth", "wasm")?;
    let script_url = put(&fs::read(bound.join("berth.js"))?, "berth", "js")?;
    let style_url = put(join_styles(style)?.as_bytes(), "berth", "css")?;
    let icon_url = put(&fs::read(style.join("icon.svg"))?, "icon", "svg")?;
    let manifest = format!(
        "{{\"script\":\"{script_url}\",\"wasm\":\"{wasm_url}\",\"style\":\"{style_url}\",\"icon\":\"{icon_url}\"}}\n"
    );
    fs::write(fresh.join("manifest.json"), manifest)?;
    fs::write(fresh.join(MADE_OF), made_of)?;

    let _ = fs::remove_dir_all(out);
    fs::rename(&fresh, out)?;
    fs::remove_dir_all(&bound)?;
    for (name, plain, packed) in sizes {
        println!("{packed:>9} bytes as sent, {plain:>9} plain  {name}");
    }
    Ok(())
}

/// In `OUT_DIR`: what the files in it were made of.
const MADE_OF: &str = "manifest.inputs";

/// The hash of all that goes in, this program among it.
fn inputs(wasm: &Path, style: &Path, fast: bool) -> Result<String> {
    let mut styles: Vec<PathBuf> = Vec::new();
    let mut folders = vec![style.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let kind = if path.is_dir() { &mut folders } else { &mut styles };
            kind.push(path);
        }
    }
    styles.sort();
    let mut hasher = Sha256::new();
    for path in [std::env::current_exe()?, wasm.to_owned()].iter().chain(&styles) {
        let bytes = fs::read(path)?;
        hasher.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update([0]);
        hasher.update(bytes.len().to_le_bytes());
        hasher.update(bytes);
    }
    hasher.update([u8::from(fast)]);
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn sibling(path: &Path, word: &str) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{word}"))
}

/// `wasm-opt` reads features that Rust turns on by default; without it the file works as well, only larger.
fn optimise(module: &Path) -> Result<()> {
    let smaller = module.with_extension("opt");
    let run = Command::new("wasm-opt")
        .args(["-Oz", "--strip-debug", "--strip-producers"])
        .args(["--enable-bulk-memory", "--enable-reference-types", "--enable-sign-ext"])
        .args(["--enable-nontrapping-float-to-int", "--enable-mutable-globals", "--enable-multivalue"])
        .arg(module)
        .arg("-o")
        .arg(&smaller)
        .status();
    match run {
        Ok(status) if status.success() => {
            let mended = mend_table_export(&fs::read(module)?, fs::read(&smaller)?)?;
            fs::write(module, mended)?;
            Ok(fs::remove_file(smaller)?)
        }
        Ok(status) => Err(format!("wasm-opt ended with {status}").into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("web-bundle: wasm-opt is not installed; the browser part stays larger than it need be");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Points the export of the table of JavaScript values to that table again. Debian's `wasm-opt` (108) keeps both tables
/// but writes 0, the table of functions, as the number of any exported table; the page would die at its first value.
fn mend_table_export(before: &[u8], mut after: Vec<u8>) -> Result<Vec<u8>> {
    // In an export section: length of the name, the name, 1 for "a table", the table's number.
    const ENTRY: &[u8] = b"\x15__wbindgen_externrefs\x01";
    let number_at = |module: &[u8]| {
        let mut found = module.windows(ENTRY.len()).enumerate().filter(|(_, bytes)| *bytes == ENTRY);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at + ENTRY.len()),
            _ => Err("the export of the table of JavaScript values is not where it should be"),
        }
    };
    let number = before[number_at(before)?];
    let at = number_at(&after)?;
    after[at] = number;
    Ok(after)
}

/// Follows the `@import "file.css";` lines of `main.css`, in order, so that the browser fetches one file.
fn join_styles(dir: &Path) -> Result<String> {
    let main = fs::read_to_string(dir.join("main.css"))?;
    let mut joined = String::new();
    for line in main.lines() {
        let import = line.trim().strip_prefix("@import").map(|rest| rest.trim().trim_end_matches(';').trim());
        match import {
            Some(file) => {
                let file = file.trim_start_matches("url(").trim_end_matches(')').trim_matches(['"', '\'']);
                let text = fs::read_to_string(dir.join(file)).map_err(|error| format!("style/{file}: {error}"))?;
                joined.push_str(&text);
            }
            None => joined.push_str(line),
        }
        joined.push('\n');
    }
    Ok(without_comments(&joined))
}

/// Drops comments and the indentation, which the visitor need not download.
fn without_comments(css: &str) -> String {
    let mut plain = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(start) = rest.find("/*") {
        plain.push_str(&rest[..start]);
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    plain.push_str(rest);
    let lines: Vec<&str> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn compress(bytes: &[u8], fast: bool) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    let quality = if fast { 1 } else { 11 };
    let mut writer = brotli::CompressorWriter::new(&mut packed, 1 << 16, quality, 24);
    writer.write_all(bytes)?;
    writer.flush()?;
    drop(writer);
    Ok(packed)
}

fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_the_rest_stays() {
        assert_eq!(without_comments("/* a */\n  b { c: d; }\n\n/* e\n f */ g {}"), "b { c: d; }\ng {}");
    }

    #[test]
    fn styles_are_joined_in_order() {
        let dir = std::env::temp_dir().join(format!("web-bundle-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("dir");
        fs::write(dir.join("main.css"), "@layer a, b;\n@import \"one.css\";\n@import \"two.css\";\n").expect("write");
        fs::write(dir.join("one.css"), "one{}").expect("write");
        fs::write(dir.join("two.css"), "two{}").expect("write");
        assert_eq!(join_styles(&dir).expect("joined"), "@layer a, b;\none{}\ntwo{}");
        fs::remove_file(dir.join("two.css")).expect("remove");
        assert!(join_styles(&dir).expect_err("missing").to_string().contains("two.css"));
        fs::remove_dir_all(&dir).expect("clean");
    }

    #[test]
    fn what_goes_in_is_told_apart() {
        let dir = std::env::temp_dir().join(format!("web-bundle-inputs-{}", std::process::id()));
        fs::create_dir_all(dir.join("style/pages")).expect("dir");
        let (wasm, style, page) = (dir.join("app.wasm"), dir.join("style"), dir.join("style/pages/a.css"));
        fs::write(&wasm, "1").expect("write");
        fs::write(&page, "a{}").expect("write");
        let first = inputs(&wasm, &style, false).expect("hash");
        assert_eq!(inputs(&wasm, &style, false).expect("hash"), first);
        assert_ne!(inputs(&wasm, &style, true).expect("hash"), first);
        fs::write(&page, "b{}").expect("write");
        assert_ne!(inputs(&wasm, &style, false).expect("hash"), first);
        fs::write(&page, "a{}").expect("write");
        fs::write(&wasm, "2").expect("write");
        assert_ne!(inputs(&wasm, &style, false).expect("hash"), first);
        fs::remove_dir_all(&dir).expect("clean");
    }

    #[test]
    fn the_exported_table_keeps_its_number() {
        let module = |number: u8| [b"\0asm-\x15__wbindgen_externrefs\x01".as_slice(), &[number], b"rest"].concat();
        assert_eq!(mend_table_export(&module(1), module(0)).expect("mended"), module(1));
        assert!(mend_table_export(b"no table", module(0)).is_err());
    }
}
