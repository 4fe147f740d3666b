-- Hosts, their credentials and cards, and whose OS account is whose.

create table host (
    host_id         uuid primary key,
    name            text        not null,
    created_at      timestamptz not null,
    -- The agent's credential; null until it has enrolled, and again once revoked.
    credential_hash bytea,
    enrol_code_hash bytea,
    enrol_expires   timestamptz,
    agent_version   text,
    -- The last report, so that a restarted or another replica shows the host as it was.
    last_report_at  timestamptz,
    last_boot_id    text,
    last_seq        bigint,
    last_report     jsonb,
    constraint host_name_key unique (name),
    constraint host_name_plain check (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    constraint host_credential_key unique (credential_hash)
);

create table card (
    -- NVML's UUID: the identity of a card, whatever its index is today.
    card_uuid    text primary key,
    host_id      uuid     not null references host on delete cascade,
    -- The physical card and the part of it that this one is: a whole card is [0,), a MIG instance [k,k+1).
    gpu          text     not null,
    slices       int4range not null default '[0,)',
    card_index   int      not null,
    minor        int,
    name         text     not null,
    pci_bus_id   text,
    memory_mib   bigint,
    health       text     not null default 'ok',
    -- False once the host no longer reports it.
    present      boolean  not null default true,
    first_seen   timestamptz not null,
    last_seen    timestamptz not null,
    constraint card_slices_not_empty check (not isempty(slices) and not lower_inf(slices) and lower(slices) >= 0)
);
create index card_by_host on card (host_id, card_index);
create index card_by_gpu on card (gpu);

create table host_account (
    host_account_id uuid primary key,
    -- Null: on every host.
    host_id  uuid constraint host_account_host_exists references host on delete cascade,
    os_user  text not null,
    user_id  uuid not null constraint host_account_user_exists references "user" on delete cascade,
    proven   boolean not null,
    made_at  timestamptz not null,
    constraint host_account_key unique (host_id, os_user, user_id)
);
-- `nulls not distinct` would say this in the constraint above, but needs Postgres 15.
create unique index host_account_everywhere_key on host_account (os_user, user_id) where host_id is null;

create table link_code (
    -- One open code for each person.
    user_id    uuid primary key references "user" on delete cascade,
    code_hash  bytea       not null,
    expires_at timestamptz not null,
    constraint link_code_key unique (code_hash)
);
