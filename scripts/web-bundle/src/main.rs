//! Turns the compiled browser part into the files that the server embeds.
//!
//! ```text
//! web-bundle LOOK.WASM [PLAN.WASM] STYLE_DIR OUT_DIR [--fast]
//! ```
//!
//! `PLAN.WASM` is the browser part of the pages on which somebody plans, `LOOK.WASM` that of all others; where only one
//! is given it is for all pages.
//!
//! Binds the modules with the same `wasm-bindgen` that the lock file pins for `app`, so that they can never drift, shrinks
//! them with `wasm-opt` where that is installed, joins the style sheets, names everything by its content and compresses
//! it. `OUT_DIR/manifest.json` says which names came out. `--fast` skips what only makes files smaller.
//!
//! Where nothing that goes in has changed since, nothing is touched: the server, which embeds the files, would
//! otherwise be compiled anew at every start.

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use sha2::{Digest, Sha256};
use walrus::{Function, FunctionBuilder, FunctionKind, Module};
use wasm_bindgen_cli_support::Bindgen;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let fast = args.iter().any(|arg| arg == "--fast");
    let paths: Vec<&Path> = args.iter().filter(|arg| *arg != "--fast").map(Path::new).collect();
    let (look, plan, style, out) = match paths.as_slice() {
        [look, plan, style, out] => (look, plan, style, out),
        [all, style, out] => (all, all, style, out),
        _ => {
            eprintln!("usage: web-bundle LOOK.WASM [PLAN.WASM] STYLE_DIR OUT_DIR [--fast]");
            return ExitCode::from(2);
        }
    };
    match bundle(&[("look", look), ("plan", plan)], style, out, fast) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("web-bundle: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `parts`: names of the browser parts, and where they are.
fn bundle(parts: &[(&str, &Path)], style: &Path, out: &Path, fast: bool) -> Result<()> {
    let modules: Vec<&Path> = parts.iter().map(|(_, wasm)| *wasm).collect();
    let made_of = inputs(&modules, style, fast)?;
    if fs::read_to_string(out.join(MADE_OF)).is_ok_and(|before| before == made_of) {
        return Ok(());
    }
    // Made beside the old one and swapped in at the end, so that a broken build leaves the old site whole.
    let fresh = sibling(out, "new");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh)?;

    let bound = sibling(out, "bound");
    // Side by side: most of the time goes into making them small.
    let made = thread::scope(|scope| {
        let (bound, fresh) = (&bound, &fresh);
        let one = |(name, wasm): &(&str, &Path)| {
            let (name, wasm) = ((*name).to_owned(), wasm.to_path_buf());
            // Errors are said as text, because they are not made to change threads.
            scope.spawn(move || part(&name, &wasm, &bound.join(&name), fresh, fast).map_err(|error| error.to_string()))
        };
        let running: Vec<_> = parts.iter().map(one).collect();
        let lost = |_| Err("a browser part could not be made".to_owned());
        running.into_iter().map(|one| one.join().unwrap_or_else(lost)).collect::<std::result::Result<Vec<_>, _>>()
    });
    let mut lines = made?;
    lines.push(entry("style", &put(&fresh, join_styles(style)?.as_bytes(), "berth", "css", fast)?));
    lines.push(entry("icon", &put(&fresh, &fs::read(style.join("icon.svg"))?, "icon", "svg", fast)?));
    fs::write(fresh.join("manifest.json"), format!("{{{}}}\n", lines.join(",")))?;
    fs::write(fresh.join(MADE_OF), made_of)?;

    let _ = fs::remove_dir_all(out);
    fs::rename(&fresh, out)?;
    fs::remove_dir_all(&bound)?;
    Ok(())
}

/// Makes one browser part; its lines for the manifest.
fn part(name: &str, wasm: &Path, bound: &Path, fresh: &Path, fast: bool) -> Result<String> {
    let _ = fs::remove_dir_all(bound);
    let mut output = Bindgen::new().input_path(wasm).web(true)?.typescript(false).out_name(name).generate_output()?;
    if !fast {
        empty_dead(output.wasm_mut());
    }
    output.emit(bound)?;
    if bound.join("snippets").exists() {
        return Err("a crate brings JavaScript snippets of its own, which the server does not embed".into());
    }
    let module = bound.join(format!("{name}_bg.wasm"));
    if !fast {
        optimise(&module)?;
    }
    let wasm_url = put(fresh, &fs::read(&module)?, name, "wasm", fast)?;
    let script = without_remarks(&fs::read_to_string(bound.join(format!("{name}.js")))?);
    let script_url = put(fresh, script.as_bytes(), name, "js", fast)?;
    Ok([entry(&format!("{name}_script"), &script_url), entry(&format!("{name}_wasm"), &wasm_url)].join(","))
}

fn entry(key: &str, url: &str) -> String {
    format!("\"{key}\":\"{url}\"")
}

/// Writes a file, plain and compressed; its address.
fn put(fresh: &Path, bytes: &[u8], stem: &str, extension: &str, fast: bool) -> Result<String> {
    let name = format!("{stem}.{}.{extension}", short_hash(bytes));
    fs::write(fresh.join(&name), bytes)?;
    let packed = compress(bytes, fast)?;
    fs::write(fresh.join(format!("{name}.br")), &packed)?;
    println!("{:>9} bytes as sent, {:>9} plain  {name}", packed.len(), bytes.len());
    Ok(format!("/pkg/{name}"))
}

/// In `OUT_DIR`: what the files in it were made of.
const MADE_OF: &str = "manifest.inputs";

/// The hash of all that goes in, this program among it.
fn inputs(modules: &[&Path], style: &Path, fast: bool) -> Result<String> {
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
    let program = std::env::current_exe()?;
    let modules = modules.iter().copied();
    for path in [program.as_path()].into_iter().chain(modules).chain(styles.iter().map(PathBuf::as_path)) {
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

/// Empties functions that nothing ever calls but that stand in tables of functions, which therefore no linker may drop.
/// Every view that is erased brings such a table, with its way to come alive piece by piece while the page is still on its
/// way. Islands come alive at once, so nobody goes that way; `wasm-opt` then drops what only those functions called.
///
/// The compiler gives functions with the same code one name. So only the futures themselves are emptied, and of them only
/// those long enough to be like no other.
fn empty_dead(module: &mut Module) {
    const NEVER: &str = "hydrate_async::{{closure}}";
    const LONG: u64 = 100;
    let named = |function: &&Function| {
        let name = function.name.as_deref().unwrap_or_default();
        let plain = name.rsplit_once("::h").filter(|(_, hash)| hash.len() == 16).map_or(name, |(plain, _)| plain);
        let long = matches!(&function.kind, FunctionKind::Local(body) if body.size() >= LONG);
        plain.ends_with(NEVER) && long
    };
    let dead: Vec<_> = module.funcs.iter().filter(named).map(|function| (function.id(), function.ty())).collect();
    for (id, kind) in dead {
        let (takes, gives) = module.types.params_results(kind);
        let (takes, gives) = (takes.to_vec(), gives.to_vec());
        let mut empty = FunctionBuilder::new(&mut module.types, &takes, &gives);
        empty.func_body().unreachable();
        let arguments = takes.iter().map(|kind| module.locals.add(*kind)).collect();
        module.funcs.get_mut(id).kind = FunctionKind::Local(empty.local_func(arguments));
    }
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

/// Drops what only explains the loader to people, and the indentation.
fn without_remarks(script: &str) -> String {
    // Inside a text that goes over several lines nothing may be touched; bindings have none.
    if script.lines().any(|line| line.matches('`').count() % 2 == 1) {
        return script.to_owned();
    }
    let mut in_remark = false;
    let code = script.lines().map(str::trim).filter(|line| {
        let begins = line.starts_with("/*");
        let is_remark = in_remark || begins || line.starts_with("//");
        in_remark = (in_remark || begins) && !line.ends_with("*/");
        !is_remark && !line.is_empty()
    });
    code.collect::<Vec<_>>().join("\n")
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
    use walrus::ValType;
    use walrus::ir::Instr;

    use super::*;

    #[test]
    fn comments_and_indentation_go_and_the_rest_stays() {
        assert_eq!(without_comments("/* a */\n  b { c: d; }\n\n/* e\n f */ g {}"), "b { c: d; }\ng {}");
    }

    #[test]
    fn a_loader_keeps_its_code_alone() {
        let script =
            "/**\n * @param {Element} el\n */\nfunction a(el) {\n    // Why.\n    b(`${el}`); // there\n}\n/** c */\n";
        assert_eq!(without_remarks(script), "function a(el) {\nb(`${el}`); // there\n}");
        let spanning = "a(`\n  // text\n`);\n";
        assert_eq!(without_remarks(spanning), spanning);
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
        let first = inputs(&[&wasm], &style, false).expect("hash");
        assert_eq!(inputs(&[&wasm], &style, false).expect("hash"), first);
        assert_ne!(inputs(&[&wasm], &style, true).expect("hash"), first);
        fs::write(&page, "b{}").expect("write");
        assert_ne!(inputs(&[&wasm], &style, false).expect("hash"), first);
        fs::write(&page, "a{}").expect("write");
        fs::write(&wasm, "2").expect("write");
        assert_ne!(inputs(&[&wasm], &style, false).expect("hash"), first);
        fs::remove_dir_all(&dir).expect("clean");
    }

    #[test]
    fn the_exported_table_keeps_its_number() {
        let module = |number: u8| [b"\0asm-\x15__wbindgen_externrefs\x01".as_slice(), &[number], b"rest"].concat();
        assert_eq!(mend_table_export(&module(1), module(0)).expect("mended"), module(1));
        assert!(mend_table_export(b"no table", module(0)).is_err());
    }

    #[test]
    fn what_is_never_called_is_emptied_and_the_rest_stays() {
        let mut module = Module::default();
        let mut add = |name: &str, length: usize| {
            let mut function = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
            let mut body = function.name(name.to_owned()).func_body();
            for _ in 0..length {
                body.i32_const(7).drop();
            }
            body.i32_const(7);
            let argument = module.locals.add(ValType::I32);
            function.finish(vec![argument], &mut module.funcs)
        };
        let dead = add("<T as Any>::hydrate_async::{{closure}}::h0123456789abcdef", 100);
        let kept = [
            add("<T as Any>::hydrate_async::{{closure}}", 1),
            add("<T as Any>::hydrate_async::{{closure}}::{{closure}}", 100),
            add("<T as Any>::hydrate::{{closure}}", 100),
        ];
        empty_dead(&mut module);
        let unreachable = |id| {
            let function = module.funcs.get(id).kind.unwrap_local();
            let body = &function.block(function.entry_block()).instrs;
            matches!(body.as_slice(), [(Instr::Unreachable(_), _)])
        };
        assert!(unreachable(dead));
        assert!(!kept.into_iter().any(unreachable));
    }
}
