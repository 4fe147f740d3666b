-- MIG instances are cards of their own: rows whose `gpu` is the physical card's UUID and whose `slices` is one of its
-- parts. The whole card and its parts so keep each other out through the constraint that has been there from the start.
alter table card
    -- Number among the card's instances, for people; null for a whole card.
    add column instance int,
    -- Cut into instances, which are booked in its place.
    add column mig_on boolean not null default false;
