-- Bookings. That no card is booked twice is a fact of the database, whatever the programs do.

create table reservation (
    reservation_id  uuid primary key,
    user_id         uuid        not null references "user",
    purpose         text        not null,
    during          tstzrange   not null,
    created_at      timestamptz not null,
    cancelled_at    timestamptz,
    ended_at        timestamptz,
    idempotency_key uuid        not null,
    -- SHA-256 over what was asked for: the same key with other content is an error.
    request_hash    bytea       not null,
    constraint reservation_idempotency_key unique (user_id, idempotency_key),
    constraint reservation_during_bounded check (
        not isempty(during) and lower_inc(during) and not upper_inc(during)
        and not lower_inf(during) and not upper_inf(during))
);
create index reservation_by_user on reservation (user_id, lower(during));
create index reservation_by_time on reservation using gist (during);

create table reservation_card (
    reservation_id uuid      not null references reservation,
    card_uuid      text      not null references card,
    gpu            text      not null,
    slices         int4range not null,
    during         tstzrange not null,
    -- Set when the booking is cancelled: the row stays on record but holds nothing.
    released       boolean   not null default false,
    primary key (reservation_id, card_uuid),
    constraint reservation_card_during_bounded check (
        not isempty(during) and lower_inc(during) and not upper_inc(during)
        and not lower_inf(during) and not upper_inf(during)),
    constraint reservation_card_slices_not_empty check (not isempty(slices) and not lower_inf(slices) and lower(slices) >= 0),
    constraint reservation_card_no_overlap
        exclude using gist (gpu with =, slices with &&, during with &&) where (not released)
);
create index reservation_card_by_card on reservation_card (card_uuid, during);

-- One row for each change that open pages must learn of, so that every replica notices what another one wrote.
-- Rows, not one counter: a counter's row would make all bookings wait for each other's commit.
create table change (
    change_id bigint generated always as identity primary key,
    made_at   timestamptz not null
);
