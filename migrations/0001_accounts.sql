-- People, their sessions, and the codes that are shown once. Codes and tokens are random, so a plain SHA-256 is
-- enough to keep them; passwords are argon2id.

create extension if not exists btree_gist;

create table "user" (
    user_id       uuid primary key,
    name          text        not null,
    display_name  text        not null,
    password_hash text        not null,
    role          text        not null,
    hue           smallint    not null,
    zone          text        not null,
    created_at    timestamptz not null,
    disabled_at   timestamptz,
    constraint user_name_key unique (name),
    constraint user_name_plain check (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    constraint user_role_known check (role in ('member', 'administrator'))
);

create table session (
    -- SHA-256 of the cookie's id: a copy of this table signs nobody in.
    session_hash bytea primary key,
    user_id      uuid references "user" on delete cascade,
    data         jsonb       not null,
    -- No session outlives a week, however much it is used.
    created_at   timestamptz not null,
    -- Moves on with use.
    expires_at   timestamptz not null
);
create index session_by_user on session (user_id);
create index session_by_expiry on session (expires_at);

-- One row at most, until the first administrator exists.
create table setup_code (
    only_row  boolean primary key default true check (only_row),
    code_hash bytea       not null,
    made_at   timestamptz not null
);

-- Attempts at something that can be guessed, by what they come from and what they aim at.
create table sign_in_throttle (
    -- 'name:ada', 'address:192.0.2.1', 'code:192.0.2.1', 'link:<host>:ada'
    subject    text primary key,
    failures   int         not null,
    last_at    timestamptz not null
);
