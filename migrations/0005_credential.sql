-- A host renews its credential without a moment in which neither works: the next one is made beside the one in use, and
-- takes its place when it is used for the first time.

alter table host
    add column next_credential_hash bytea,
    -- An administrator wants the host to renew it.
    add column rotation_asked_at timestamptz,
    -- What was taken away last, so that its holder is told so.
    add column revoked_hash bytea,
    add constraint host_next_credential_key unique (next_credential_hash);
create index host_by_revoked_credential on host (revoked_hash);
