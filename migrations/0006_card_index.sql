-- People know cards by their index, which shifts when a card is lost or the order of the bus changes: what it was before
-- the last change, and what it was when a booking was made.

alter table card
    add column previous_index   int,
    add column index_changed_at timestamptz,
    add constraint card_index_change_whole check ((previous_index is null) = (index_changed_at is null));

-- Null in bookings that are older than this column.
alter table reservation_card add column card_index int;
