//! The README's table of the agent's settings is that of `berth agent --help`, which leaves out what only a simulation
//! needs.

use std::path::Path;

use agent::cli::Cli;
use clap::CommandFactory;

const BEGIN: &str = "<!-- config:agent -->\n";
const END: &str = "<!-- /config -->";

fn table() -> String {
    let cli = Cli::command();
    let agent = cli.find_subcommand("agent").expect("berth agent");
    let mut rows = "| Setting | Flag | Default | What it does |\n|---|---|---|---|\n".to_owned();
    for arg in agent.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let Some(env) = arg.get_env() else { continue };
        let default = arg.get_default_values().first().map(|value| format!("`{}`", value.to_string_lossy()));
        let help = arg.get_long_help().or_else(|| arg.get_help()).expect("every option says what it does").to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let (env, flag) = (env.to_string_lossy(), arg.get_long().expect("long"));
        rows += &format!("| `{env}` | `--{flag}` | {} | {help} |\n", default.unwrap_or_default());
    }
    rows
}

#[test]
fn the_readme_has_every_setting_of_the_agent() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(file).expect("README.md");
    let (_, rest) = readme.split_once(BEGIN).expect("the table's begin");
    let (found, _) = rest.split_once(END).expect("the table's end");
    let expected = table();
    assert!(found == expected, "README.md does not have this between the marks:\n{expected}");
}
