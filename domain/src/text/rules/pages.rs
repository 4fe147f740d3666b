//! Words of the administrators' pages of rules, groups and labels.

use crate::rules::draft::Kind;

/// Words of the pages.
#[derive(Debug)]
pub struct RulePagesText {
    /// Below the heading of the list.
    pub rules_note: &'static str,
    /// There is no rule.
    pub no_rules: &'static str,
    /// For whom and for which cards: a group, a label.
    pub scope: fn(Option<&str>, Option<&str>) -> String,
    /// Who made it, when.
    pub made: fn(&str, &str) -> String,
    /// Button of a rule or a group.
    pub change: &'static str,
    /// Button.
    pub remove: &'static str,
    /// What that means; the argument is the rule.
    pub remove_rule_sure: fn(&str) -> String,
    /// Does it.
    pub remove_yes: &'static str,
    /// Heading.
    pub add_rule: &'static str,
    /// Below it.
    pub add_rule_note: &'static str,
    /// Heading of the form of a rule that exists.
    pub change_rule: fn(&str) -> String,
    /// What a kind is called.
    pub kind: fn(Kind) -> &'static str,
    /// What it does.
    pub kind_note: fn(Kind) -> &'static str,
    /// Label.
    pub name: &'static str,
    /// Below it.
    pub name_hint: &'static str,
    /// Label.
    pub group: &'static str,
    /// Choice.
    pub everybody: &'static str,
    /// Label.
    pub label: &'static str,
    /// Below it.
    pub label_hint: &'static str,
    /// Label of the length of a kind.
    pub length: fn(Kind) -> &'static str,
    /// Below lengths.
    pub length_hint: &'static str,
    /// Label.
    pub cards: &'static str,
    /// Label.
    pub gpu_hours: &'static str,
    /// Label.
    pub per: &'static str,
    /// Choice.
    pub week: &'static str,
    /// Choice.
    pub month: &'static str,
    /// Label.
    pub spans: &'static str,
    /// Below it.
    pub spans_hint: &'static str,
    /// Label.
    pub no_show: &'static str,
    /// Label.
    pub release: &'static str,
    /// Below it.
    pub release_hint: &'static str,
    /// Button.
    pub save: &'static str,
    /// Button.
    pub try_it: &'static str,
    /// Link.
    pub leave: &'static str,
    /// Result: days, refused, of so many bookings.
    pub tried: fn(u32, u32, u32) -> String,
    /// So many would have waited for approval.
    pub tried_approvals: fn(u32) -> String,
    /// Only the first of them are listed.
    pub tried_first: fn(usize) -> String,
    /// Column.
    pub person: &'static str,
    /// Column.
    pub booking: &'static str,
    /// Column.
    pub number_of_cards: &'static str,
    /// Column.
    pub why: &'static str,
    /// Heading.
    pub approvals: &'static str,
    /// Below it.
    pub approvals_note: &'static str,
    /// Label.
    pub approval_hours: &'static str,
    /// Heading.
    pub groups: &'static str,
    /// A group that the reader manages.
    pub managed: fn(&str) -> String,
    /// Below it.
    pub groups_note: &'static str,
    /// There is no group.
    pub no_groups: &'static str,
    /// Beside a group's name: how many people, how many rules.
    pub group_size: fn(usize, usize) -> String,
    /// Nobody is in it.
    pub no_members: &'static str,
    /// Column.
    pub role: &'static str,
    /// In a group.
    pub member: &'static str,
    /// In a group.
    pub manager: &'static str,
    /// Button.
    pub make_manager: &'static str,
    /// Button.
    pub make_member: &'static str,
    /// Button.
    pub take_out: &'static str,
    /// Label of the choice of people.
    pub add_person: &'static str,
    /// Button.
    pub add: &'static str,
    /// Heading and button.
    pub make_group: &'static str,
    /// Label.
    pub group_name: &'static str,
    /// Button.
    pub rename: &'static str,
    /// What removing a group means; the argument is the group.
    pub remove_group_sure: fn(&str) -> String,
    /// Heading.
    pub labels: &'static str,
    /// Below it.
    pub labels_note: &'static str,
    /// No host has reported.
    pub no_hosts: &'static str,
    /// Label of the field of a host.
    pub labels_of_host: fn(&str) -> String,
    /// Label of the field of a card.
    pub labels_of_card: fn(&str) -> String,
    /// Cards of a host, folded.
    pub cards_of_host: fn(usize, usize) -> String,
    /// Button beside one field.
    pub set: &'static str,
    /// Heading: labels for which there are rules.
    pub with_rules: &'static str,
    /// Label and the rules that are for it.
    pub ruled: fn(&str, &str) -> String,
}
