//! Every launch command of every case, run in the tools that it is written for: exactly the booked cards, in their
//! order, or the cell is wrong.
//!
//! `scripts/launch-matrix` prints the table. Words after `--` choose forms whose name contains one of them.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why and ends")]

mod case;
mod cuda;
mod prove;
mod stage;
mod table;
mod tools;

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;
use domain::launch::{Command, FORMATS, Form, Naming, commands};
use prove::{Bench, Expect, Proof, Seen, Started, Way};
use stage::Stage;
use table::{Cell, Table};
use tools::Tools;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        println!("matrix: test");
        return ExitCode::SUCCESS;
    }
    let chosen: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let cases = case::all();
    let named = |case: &Case| {
        let all = commands(&case.plan, case.at, &domain::text::en().launch);
        let mut names = all.iter().flat_map(|command| {
            let forms = command.forms.iter().map(|form| name_of(command, form));
            forms.chain([format!("{}.check", command.id)])
        });
        names.any(|name| is_chosen(&chosen, &name))
    };
    // Words for other tests of the workspace.
    if !cases.iter().any(named) {
        return ExitCode::SUCCESS;
    }
    if let Err(said) = stage::fetch_tools() {
        eprintln!("launch-matrix: {said}");
        return ExitCode::FAILURE;
    }
    let table = Mutex::new(Table::default());
    let tools = Tools::default();
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let stage = Stage::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { break };
                    run_case(&Bench { stage: &stage, tools: &tools, case }, at, &chosen, &table);
                }
            });
        }
    });
    let table = table.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    report(&table, &cases, chosen.is_empty())
}

/// Whether a form is among those that words on the command line choose.
fn is_chosen(chosen: &[&String], name: &str) -> bool {
    chosen.is_empty() || chosen.iter().any(|word| name.contains(word.as_str()))
}

/// Every form of one case.
fn run_case(bench: &Bench<'_>, at: usize, chosen: &[&String], table: &Mutex<Table>) {
    let case = bench.case;
    let all = commands(&case.plan, case.at, &domain::text::en().launch);
    for command in &all {
        // How many forms of one key, dialect and naming there were before: one for each set of cards.
        let mut turns: HashMap<(&str, domain::launch::Dialect, bool), usize> = HashMap::new();
        for form in &command.forms {
            let name = name_of(command, form);
            if !is_chosen(chosen, &name) {
                continue;
            }
            let turn = turns.entry((form.key, form.dialect, by_index(command, form))).or_insert(0);
            let runs = prove_form(bench, command, form, *turn);
            *turn += 1;
            let mut table = table.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (by, cell) in runs {
                if let (Cell::NotHere, Some(why)) = (&cell.0, cell.1) {
                    table.missing.insert(by.clone(), why);
                }
                table.set(&name, &by, at, cell.0);
            }
        }
        check_answers(bench, command, at, chosen, table);
        // Each set of cards has its form, or none of them has.
        for ((key, dialect, by_index), count) in turns {
            let Some(way) = prove::way(command.id, key).filter(|way| way.expect.is_for_sets()) else {
                continue;
            };
            let wanted = case.sets().iter().filter(|set| (way.of)(case, set)).count();
            // An index names no instance.
            let enough = if by_index { count <= wanted } else { count == wanted };
            if !enough {
                let said = format!(
                    "{}.{key} {dialect:?}, {}: {count} forms for {wanted} sets of cards",
                    command.id, case.name
                );
                let mut table = table.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                table.set(&format!("{}.{key}", command.id), "forms", at, Cell::Wrong(vec![said]));
            }
        }
    }
}

/// The lines that show whether a command works.
fn check_answers(bench: &Bench<'_>, command: &Command, at: usize, chosen: &[&String], table: &Mutex<Table>) {
    let name = format!("{}.check", command.id);
    if !is_chosen(chosen, &name) {
        return;
    }
    for (turn, check) in command.checks.iter().enumerate() {
        let cells: Vec<(&str, Cell)> = match prove::checks::missing(command, check) {
            Some(why) => {
                let mut table = table.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                table.missing.insert("its check".to_owned(), why);
                vec![("its check", Cell::NotHere)]
            }
            None => ["bash", "dash", "zsh"]
                .into_iter()
                .map(|shell| match prove::checks::run(bench, command, check, turn, shell) {
                    Ok(()) => (shell, Cell::Right(1)),
                    Err(said) => {
                        let said = format!("{name} in {shell}, {}: {said}\n      {}", bench.case.name, check.text);
                        (shell, Cell::Wrong(vec![said]))
                    }
                })
                .collect(),
        };
        let mut table = table.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for (by, cell) in cells {
            table.set(&name, by, at, cell);
        }
    }
}

/// Whether a form stands beside one by UUID for the same cards.
fn by_index(command: &Command, form: &Form) -> bool {
    let either = prove::way(command.id, form.key).is_some_and(|way| way.expect == Expect::EitherWay);
    form.naming == Naming::Index && !either
}

fn name_of(command: &Command, form: &Form) -> String {
    let naming = match form.naming {
        Naming::Index => " index",
        Naming::Uuid => " UUID",
        Naming::ByBerth | Naming::Count => "",
    };
    format!("{}.{}{naming}", command.id, form.key)
}

type Judged = (String, (Cell, Option<&'static str>));

fn prove_form(bench: &Bench<'_>, command: &Command, form: &Form, turn: usize) -> Vec<Judged> {
    let case = bench.case;
    let Some(way) = prove::way(command.id, form.key) else {
        let said = format!("{}.{}: nobody has said how to prove it", command.id, form.key);
        return vec![("?".to_owned(), (Cell::Wrong(vec![said]), None))];
    };
    let wanted = wanted(case, form, &way, turn);
    let judge = |run: prove::Run| {
        let wrong = |said: String| {
            let text = form.text.replace('\n', "\n      ");
            Cell::Wrong(vec![format!("{} in {}, {}: {said}\n      {text}", name_of(command, form), run.by, case.name)])
        };
        let cell = match (&run.result, &wanted) {
            (Err(said), _) => (wrong(said.clone()), None),
            (Ok(Proof::NotHere(why)), _) => (Cell::NotHere, Some(*why)),
            (Ok(Proof::Refused), _) => (Cell::Refused, None),
            (_, Err(said)) => (wrong(said.clone()), None),
            (Ok(Proof::Starts(starts)), Ok(wanted)) if starts == wanted => (Cell::Right(1), None),
            (Ok(Proof::Starts(starts)), Ok(wanted)) => (wrong(format!("wanted {wanted:?}, got {starts:?}")), None),
        };
        (run.by, cell)
    };
    (way.prove)(bench, form).into_iter().map(judge).collect()
}

/// What must be started, said without asking the generator; only what it says about itself is compared as well.
fn wanted(case: &Case, form: &Form, way: &Way, turn: usize) -> Result<Vec<Started>, String> {
    let mut sets = case.sets();
    sets.retain(|set| (way.of)(case, set));
    // An index names no instance, nor a card whose number is in doubt: those sets have no such form.
    let named: Vec<&Vec<String>> = match form.naming {
        Naming::Index if way.expect != Expect::EitherWay => {
            sets.iter().filter(|set| set.iter().all(|uuid| uuid.starts_with("GPU-"))).collect()
        }
        _ => sets.iter().collect(),
    };
    if form.naming == Naming::Index && case.name == "stale index" {
        return Err("a list by index, though one of the indices is old".to_owned());
    }
    let one = |seen: Seen| Started { seen, words: case.program.clone() };
    let (starts, cards) = match way.expect {
        Expect::Sets | Expect::EitherWay | Expect::BusOrder => {
            let set = named.get(turn).ok_or_else(|| format!("form {turn} of {} sets of cards", named.len()))?;
            let mut set = (*set).clone();
            if way.expect == Expect::BusOrder {
                set.sort_by_key(|uuid| case.machine.iter().position(|card| card.uuid == *uuid));
            }
            (vec![one(Seen::Cards(set.clone()))], set)
        }
        Expect::First => {
            let first = case.booked.first().cloned().into_iter().collect::<Vec<_>>();
            (vec![one(Seen::Cards(first.clone()))], first)
        }
        Expect::Berth => (vec![one(Seen::Berth)], Vec::new()),
        Expect::Each => {
            let each = case.booked.iter().map(|uuid| one(Seen::Cards(vec![uuid.clone()]))).collect();
            (each, case.booked.clone())
        }
        Expect::Count => (vec![one(Seen::Count(case.booked.len()))], Vec::new()),
    };
    let said: Vec<&str> = form.cards.iter().map(|uuid| uuid.as_str()).collect();
    if said != cards {
        return Err(format!("the form says that it selects {said:?}, but {cards:?} are booked"));
    }
    Ok(starts)
}

fn report(table: &Table, cases: &[Case], whole: bool) -> ExitCode {
    let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
    table.print(&names);
    if std::env::args().any(|word| word == "--markdown") {
        table.summary().iter().for_each(|line| println!("{line}"));
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (by, why) in &table.missing {
        reasons.entry(why).or_default().push(by);
    }
    for (why, by) in reasons {
        println!("cannot be run here: {} ({why})", by.join(", "));
    }
    let mut wrong = table.wrong();
    if whole {
        let known: Vec<&str> =
            commands(&cases[0].plan, 0, &domain::text::en().launch).iter().map(|command| command.id).collect();
        wrong.extend(
            FORMATS
                .iter()
                .filter(|id| !known.contains(id))
                .map(|id| format!("{id}: the generator has no such command")),
        );
    }
    for said in &wrong {
        println!("WRONG {said}");
    }
    let (right, refused, missing, _) = table.counts();
    println!(
        "{right} texts select exactly the booked cards, {refused} are refused by their tool, {missing} cannot be run here, {} are wrong",
        wrong.len()
    );
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
