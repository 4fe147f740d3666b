//! Embeds the built site: the files that `scripts/build-web` leaves in `target/site/pkg` (or `$BERTH_SITE_DIR/pkg`).
//! Where the browser part has not been built, as in checks and tests, only the style sheet and the icon are embedded:
//! the pages are made to work without scripts.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-env-changed=BERTH_SITE_DIR");
    let site = std::env::var_os("BERTH_SITE_DIR").map_or_else(|| root.join("target/site"), PathBuf::from);
    let pkg = site.join("pkg");
    // Made here so that there is something to watch: cargo would run this script at every build for a missing path.
    let _ = fs::create_dir_all(&pkg);
    println!("cargo::rerun-if-changed={}", pkg.display());
    println!("cargo::rerun-if-changed=../style");

    let mut table = String::from("static FILES: &[File] = &[\n");
    let manifest = fs::read_to_string(pkg.join("manifest.json")).unwrap_or_default();
    let addresses = if manifest.contains("look_script") {
        built(&pkg, &manifest, &mut table)?
    } else {
        if !manifest.is_empty() {
            println!("cargo::warning=the browser part was built by another version: run scripts/build-web");
        }
        bare(&root.join("style"), &out, &mut table)?
    };
    table.push_str("];\n");
    for (name, address) in addresses {
        writeln!(table, "const {name}: &str = {address:?};")?;
    }
    fs::write(out.join("assets.rs"), table)?;
    Ok(())
}

type Addresses = [(&'static str, String); 6];

fn built(pkg: &Path, manifest: &str, table: &mut String) -> Result<Addresses> {
    let mut names: Vec<String> = fs::read_dir(pkg)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| !name.starts_with("manifest.") && !name.ends_with(".br"))
        .collect();
    names.sort();
    for name in names {
        let brotli = pkg.join(format!("{name}.br"));
        embed(table, &name, &pkg.join(&name), brotli.exists().then_some(&brotli))?;
    }
    let manifest: std::collections::HashMap<String, String> = serde_json::from_str(manifest)?;
    let address = |key: &str| manifest.get(key).cloned().ok_or_else(|| format!("manifest.json has no `{key}`"));
    Ok([
        ("LOOK_SCRIPT", address("look_script")?),
        ("LOOK_WASM", address("look_wasm")?),
        ("PLAN_SCRIPT", address("plan_script")?),
        ("PLAN_WASM", address("plan_wasm")?),
        ("STYLE", address("style")?),
        ("ICON", address("icon")?),
    ])
}

fn bare(style: &Path, out: &Path, table: &mut String) -> Result<Addresses> {
    let mut sheet = String::new();
    for line in fs::read_to_string(style.join("main.css")).unwrap_or_default().lines() {
        match line.trim().strip_prefix("@import").and_then(|rest| rest.split('"').nth(1)) {
            Some(part) => {
                sheet.push_str(&fs::read_to_string(style.join(part)).map_err(|e| format!("style/{part}: {e}"))?)
            }
            None => sheet.push_str(line),
        }
        sheet.push('\n');
    }
    let icon = fs::read_to_string(style.join("icon.svg"))
        .unwrap_or_else(|_| "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned());
    let mut put = |text: &str, stem: &str, extension: &str| -> Result<String> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let name = format!("{stem}.{:016x}.{extension}", hasher.finish());
        fs::write(out.join(&name), text)?;
        embed(table, &name, &out.join(&name), None)?;
        Ok(format!("/pkg/{name}"))
    };
    let style = put(&sheet, "berth", "css")?;
    let icon = put(&icon, "icon", "svg")?;
    let none = String::new;
    let parts = [("LOOK_SCRIPT", none()), ("LOOK_WASM", none()), ("PLAN_SCRIPT", none()), ("PLAN_WASM", none())];
    let [look_script, look_wasm, plan_script, plan_wasm] = parts;
    Ok([look_script, look_wasm, plan_script, plan_wasm, ("STYLE", style), ("ICON", icon)])
}

fn embed(table: &mut String, name: &str, plain: &Path, brotli: Option<&PathBuf>) -> Result<()> {
    let brotli = brotli.map_or("None".to_owned(), |path| format!("Some(include_bytes!({path:?}))"));
    writeln!(table, "    File {{ name: {name:?}, plain: include_bytes!({plain:?}), brotli: {brotli} }},")?;
    Ok(())
}
