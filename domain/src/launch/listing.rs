//! Commands as plain text, for terminals; and the one that somebody asks for by its name.

use super::{Check, Command, Form};
use crate::text::LaunchText;

/// The commands of this name: one of [`super::FORMATS`], with `-` or `_`; or one of its forms, such as `docker/cdi`, which
/// gives the command with those forms alone. `None` where there is no such name.
#[must_use]
pub fn select(commands: &[Command], name: &str) -> Option<Command> {
    let name = name.trim().to_ascii_lowercase();
    let (id, key) = name.split_once('/').map_or((name.as_str(), None), |(id, key)| (id, Some(key)));
    let mut command = commands.iter().find(|command| command.id == id.replace('-', "_"))?.clone();
    if let Some(key) = key {
        command.forms.retain(|form| form.key == key);
        if command.forms.is_empty() {
            return None;
        }
    }
    Some(command)
}

/// All of it, to be read: every line that is not to be run stands behind `#`.
#[must_use]
pub fn listing(commands: &[Command], text: &LaunchText) -> String {
    commands.iter().map(|command| one(command, text)).collect::<Vec<_>>().join("\n\n")
}

fn one(command: &Command, text: &LaunchText) -> String {
    let mut parts = vec![format!("# {} ({})", command.title, command.id)];
    for said in [&command.reason, &command.note] {
        if !said.is_empty() {
            parts.push(comment(said));
        }
    }
    for form in &command.forms {
        parts.push(String::new());
        parts.push(comment(&heading(form, text)));
        parts.push(form.text.clone());
    }
    for Check { text: line, expected } in &command.checks {
        parts.push(String::new());
        parts.push(comment(&(text.check)(&expected.replace('\n', ", "))));
        parts.push(line.clone());
    }
    parts.join("\n")
}

fn heading(form: &Form, text: &LaunchText) -> String {
    let dialect = (text.dialect)(form.dialect);
    let parts = [form.label.as_str(), dialect, form.file.as_deref().unwrap_or_default(), form.needs.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn comment(text: &str) -> String {
    text.lines().map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n")
}
