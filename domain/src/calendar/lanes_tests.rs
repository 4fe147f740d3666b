use super::*;
use crate::calendar::sample::{booking, calendar, card, closure, host, hours};

fn all(_: &CalendarHost, _: &CalendarCard) -> bool {
    true
}

fn spans(rows: &HostRows) -> Vec<(usize, usize, usize, (usize, usize))> {
    rows.blocks.iter().map(|block| (block.booking, block.row, block.rows, block.part)).collect()
}

#[test]
fn linked_cards_lie_side_by_side() {
    let calendar = calendar(vec![host("rig", &[0, 1, 2, 3], &[&[0, 2], &[1, 3]])], Vec::new(), Vec::new());
    let rows = rows(&calendar, false, &all);
    assert_eq!(rows[0].cards, [0, 2, 1, 3]);
    assert_eq!(
        rows[0].brackets,
        [Bracket { row: 0, rows: 2, word: "NV4".to_owned() }, Bracket { row: 2, rows: 2, word: "NV4".to_owned() }]
    );
    let numbered = super::rows(&calendar, true, &all);
    assert_eq!(numbered[0].cards, [0, 1, 2, 3]);
    assert_eq!(numbered[0].brackets, []);
}

#[test]
fn where_all_are_linked_no_bracket_says_so() {
    let calendar = calendar(vec![host("dgx", &[0, 1], &[&[0, 1]])], Vec::new(), Vec::new());
    assert_eq!(rows(&calendar, false, &all)[0].brackets, []);
}

#[test]
fn neighbours_are_one_block_and_others_are_numbered() {
    let hosts = vec![host("dgx", &[0, 1, 2, 3], &[]), host("rig", &[10, 11], &[])];
    let bookings = vec![booking(1, hours(1, 3), &[0, 1]), booking(2, hours(2, 5), &[3, 2, 10, 0])];
    let calendar = calendar(hosts, bookings, Vec::new());
    let rows = rows(&calendar, false, &all);
    assert_eq!(spans(&rows[0]), [(0, 0, 2, (1, 1)), (1, 0, 1, (1, 3)), (1, 2, 2, (2, 3))]);
    assert_eq!(spans(&rows[1]), [(1, 0, 1, (3, 3))]);
}

#[test]
fn cards_that_came_later_are_a_block_of_their_own() {
    let mut late = booking(1, hours(1, 9), &[0, 1]);
    late.holds[1].window = Some(hours(4, 9));
    let calendar = calendar(vec![host("dgx", &[0, 1], &[])], vec![late], Vec::new());
    let rows = rows(&calendar, false, &all);
    assert_eq!(spans(&rows[0]), [(0, 0, 1, (1, 2)), (0, 1, 1, (2, 2))]);
    assert_eq!(rows[0].blocks[1].window, hours(4, 9));
}

#[test]
fn shares_of_one_card_lie_beside_each_other() {
    let mut rig = host("rig", &[0], &[]);
    rig.cards[0].shares = Some(4);
    let share = |id, window, count| {
        let mut booking = booking(id, window, &[0]);
        booking.holds[0].shares = Some(count);
        booking
    };
    let bookings = vec![share(1, hours(0, 4), 1), share(2, hours(1, 3), 2), share(3, hours(3, 6), 2)];
    let rows = rows(&calendar(vec![rig], bookings, Vec::new()), false, &all);
    let slots: Vec<_> = rows[0].blocks.iter().filter_map(|block| block.slot).collect();
    assert_eq!(
        slots,
        [
            Slot { first: 0, count: 1, of: 4 },
            Slot { first: 1, count: 2, of: 4 },
            // The second one is over by then.
            Slot { first: 1, count: 2, of: 4 }
        ]
    );
}

#[test]
fn what_is_not_shown_has_no_row() {
    let hosts = vec![host("dgx", &[0, 1, 2], &[]), host("rig", &[10], &[])];
    let bookings = vec![booking(1, hours(1, 3), &[0, 1, 2])];
    let calendar = calendar(hosts, bookings, vec![closure(None, &[0, 2, 10])]);
    let rows = rows(&calendar, false, &|_, shown| shown.uuid != card(1) && shown.uuid != card(10));
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].cards, [0, 2]);
    // With the middle row gone they are neighbours.
    assert_eq!(spans(&rows[0]), [(0, 0, 2, (1, 1))]);
    assert_eq!(rows[0].shut, [Shut { closure: 0, row: 0, rows: 2 }]);
}

#[test]
fn a_selection_goes_over_the_heads_of_hosts() {
    let hosts = vec![host("dgx", &[0, 1], &[]), host("rig", &[10, 11], &[])];
    let calendar = calendar(hosts, Vec::new(), Vec::new());
    let rows = rows(&calendar, false, &all);
    assert_eq!(between(&calendar, &rows, (1, 0), (0, 1)), [card(1), card(10)]);
    assert_eq!(between(&calendar, &rows, (0, 0), (0, 0)), [card(0)]);
    assert_eq!(places(&calendar, &rows).get(&card(11)), Some(&(1, 1)));
}
