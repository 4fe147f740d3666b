-- Bookings that can be edited, repeated, approved, waited for and released; groups, labels and rules; maintenance;
-- notices; and the record of who did what.

-- Requests --------------------------------------------------------------------------------------------------------

-- What a key has been used for: the same key never does anything twice, and with other content it is an error.
create table request_key (
    user_id      uuid        not null references "user" on delete cascade,
    key          uuid        not null,
    -- SHA-256 over what was asked for.
    request_hash bytea       not null,
    -- What was answered.
    outcome      jsonb       not null,
    made_at      timestamptz not null,
    constraint request_key_key primary key (user_id, key)
);
create index request_key_by_age on request_key (made_at);
insert into request_key (user_id, key, request_hash, outcome, made_at)
select user_id, idempotency_key, request_hash, jsonb_build_object('booked', jsonb_build_array(reservation_id)), created_at
from reservation;

-- Reservations ----------------------------------------------------------------------------------------------------

alter table reservation
    drop constraint reservation_idempotency_key,
    drop column idempotency_key,
    drop column request_hash,
    -- Who made it, where that is not its owner.
    add column booked_by    uuid references "user",
    -- The zone in which its times were meant.
    add column zone         text not null default 'UTC',
    -- Counts up with every edit, so that an edit of something that has changed meanwhile is noticed.
    add column version      integer not null default 1,
    -- What it waits for before it counts: somebody's approval, or its owner's answer to an offer. It holds its cards
    -- meanwhile.
    add column awaits       text,
    add column awaits_until timestamptz,
    add column approved_by  uuid references "user",
    -- What became of it, where that is not what its times say.
    add column fate         text,
    add column fate_at      timestamptz,
    -- Null: nobody; a rule did.
    add column fate_by      uuid references "user",
    add column fate_why     text,
    -- The repeats that it is one of, and the local day that it stands for.
    add column series_id    uuid,
    add column series_day   date,
    add constraint reservation_awaits_known check (awaits in ('approval', 'answer')),
    add constraint reservation_awaits_until check ((awaits is null) = (awaits_until is null)),
    add constraint reservation_fate_known check (fate in ('cancelled', 'refused', 'lapsed', 'released', 'missed')),
    add constraint reservation_fate_at check ((fate is null) = (fate_at is null)),
    add constraint reservation_series_day check ((series_id is null) = (series_day is null));
update reservation set fate = 'cancelled', fate_at = cancelled_at, fate_by = user_id where cancelled_at is not null;
alter table reservation drop column cancelled_at;
create index reservation_by_awaits on reservation (awaits_until) where awaits is not null and fate is null;
create index reservation_by_series on reservation (series_id, series_day) where series_id is not null;

-- Cards come to and leave a running booking one by one, and shares of one card are rows of their own.
alter table reservation_card
    drop constraint reservation_card_pkey,
    add column hold_id  bigint generated always as identity primary key,
    -- Why it ended before its booking did.
    add column left_why text,
    add constraint reservation_card_left_known check (left_why in ('edited', 'idle', 'missed'));
create index reservation_card_by_reservation on reservation_card (reservation_id);
create index reservation_card_by_time on reservation_card using gist (during) where (not released);

create table series (
    series_id uuid primary key,
    user_id   uuid        not null references "user",
    zone      text        not null,
    -- domain::repeat::Repeat.
    repeat    jsonb       not null,
    made_at   timestamptz not null
);
alter table reservation add constraint reservation_series_exists foreign key (series_id) references series;

-- Who may launch on a booking beside its owner.
create table reservation_person (
    reservation_id uuid not null references reservation on delete cascade,
    user_id        uuid not null constraint reservation_person_exists references "user",
    primary key (reservation_id, user_id)
);
create index reservation_person_by_user on reservation_person (user_id);

-- Cards -----------------------------------------------------------------------------------------------------------

alter table card
    -- Why nobody may book it; null where it may be booked.
    add column not_bookable     text,
    -- Open for so many shares; null: booked whole only.
    add column shares           integer,
    -- What each share is asked to stay within. Nobody enforces it.
    add column share_memory_mib bigint,
    add constraint card_shares_sane check (shares between 2 and 64),
    add constraint card_share_memory_sane check (share_memory_mib > 0);

create table maintenance (
    maintenance_id uuid primary key,
    reason         text        not null,
    during         tstzrange   not null,
    -- Every card there is, or only those of maintenance_target.
    everywhere     boolean     not null,
    made_by        uuid        not null references "user",
    made_at        timestamptz not null,
    called_off_at  timestamptz,
    constraint maintenance_during_bounded check (
        not isempty(during) and lower_inc(during) and not upper_inc(during)
        and not lower_inf(during) and not upper_inf(during))
);
create index maintenance_by_time on maintenance using gist (during) where (called_off_at is null);

create table maintenance_target (
    maintenance_id uuid not null references maintenance on delete cascade,
    host_id        uuid constraint maintenance_host_exists references host on delete cascade,
    card_uuid      text constraint maintenance_card_exists references card on delete cascade,
    constraint maintenance_target_one check (num_nonnulls(host_id, card_uuid) = 1),
    constraint maintenance_target_key unique (maintenance_id, host_id, card_uuid)
);

-- People and rules ------------------------------------------------------------------------------------------------

create table person_group (
    group_id uuid primary key,
    name     text        not null,
    made_at  timestamptz not null,
    constraint person_group_name_key unique (name)
);

create table group_member (
    group_id uuid    not null references person_group on delete cascade,
    user_id  uuid    not null constraint group_member_exists references "user" on delete cascade,
    manager  boolean not null default false,
    primary key (group_id, user_id)
);
create index group_member_by_user on group_member (user_id);

create table host_label (
    host_id uuid not null references host on delete cascade,
    label   text not null constraint host_label_plain check (label ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    primary key (host_id, label)
);

create table card_label (
    card_uuid text not null references card on delete cascade,
    label     text not null constraint card_label_plain check (label ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    primary key (card_uuid, label)
);

create table rule (
    rule_id    uuid primary key,
    name       text        not null,
    -- Null: people of every group, and of none.
    group_id   uuid constraint rule_group_exists references person_group on delete cascade,
    -- Null: cards of every label, and of none.
    label      text,
    -- domain::rules::Limit.
    body       jsonb       not null,
    made_by    uuid        not null references "user",
    made_at    timestamptz not null,
    removed_at timestamptz
);

-- Decisions of administrators that are one value each.
create table setting (
    name  text primary key,
    value jsonb not null
);

-- Waiting, idling, telling ----------------------------------------------------------------------------------------

create table waiting (
    wait_id        uuid primary key,
    user_id        uuid        not null references "user" on delete cascade,
    made_at        timestamptz not null,
    -- domain::finder::Want.
    want           jsonb       not null,
    purpose        text        not null,
    -- Tell, or book.
    mode           text        not null constraint waiting_mode_known check (mode in ('tell', 'book')),
    until          timestamptz not null,
    done_at        timestamptz,
    outcome        text,
    reservation_id uuid references reservation
);
create index waiting_open on waiting (made_at) where done_at is null;

-- What has been seen of the use of a card while it is booked. Gone with nothing lost.
create table card_watch (
    hold_id       bigint primary key references reservation_card on delete cascade,
    first_used_at timestamptz,
    last_used_at  timestamptz,
    -- Since when it has been seen not to be used, without a gap that would prove nothing; and when it was seen last.
    idle_since    timestamptz,
    seen_at       timestamptz,
    -- What keeps the card from being used, as its owner was told (domain::trouble::Trouble), and when.
    trouble       jsonb,
    trouble_at    timestamptz,
    -- The owner was asked whether it is still wanted, and has answered that it is.
    asked_at      timestamptz,
    answered_at   timestamptz,
    -- When a rule gives the card back without an answer, as the owner was told.
    release_at    timestamptz
);

create table notice (
    notice_id      bigint generated always as identity primary key,
    user_id        uuid        not null references "user" on delete cascade,
    made_at        timestamptz not null,
    -- domain::notice::Notice.
    body           jsonb       not null,
    reservation_id uuid references reservation on delete cascade,
    -- The same thing is said once.
    once           text,
    read_at        timestamptz,
    constraint notice_once_key unique (user_id, once)
);
create index notice_unread on notice (user_id, notice_id) where read_at is null;

-- The record ------------------------------------------------------------------------------------------------------

-- Who did what. Written in the transaction of the deed; never changed.
create table audit (
    audit_id       bigint generated always as identity primary key,
    at             timestamptz not null,
    -- Null: the portal itself, by a rule.
    actor          uuid references "user",
    -- Such as 'reservation.create', 'maintenance.plan'.
    action         text        not null,
    reservation_id uuid,
    -- What it was done to, in words that stay true: a name, an id.
    subject        text        not null,
    before         jsonb,
    after          jsonb,
    -- From where; null where that is not known.
    address        text
);
create index audit_by_time on audit (at);
create index audit_by_reservation on audit (reservation_id) where reservation_id is not null;

create function audit_is_append_only() returns trigger language plpgsql as
$$ begin raise exception 'the record is only added to' using errcode = '55000'; end $$;
create trigger audit_is_append_only before update or delete or truncate on audit
    for each statement execute function audit_is_append_only();
