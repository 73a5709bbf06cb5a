-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- What others may do with a session: see it, take a copy of its work, or enter it (edit). kind says whom it is for: whom is the address of
-- a person (email), the id of a project for all its members (project), or empty for whoever has the link (link), of which only the digest
-- is stored. Without a time in until_at, it ends with the launch of the session that run_at names.
CREATE TABLE session_share (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    whom TEXT NOT NULL,
    digest TEXT NOT NULL DEFAULT '',
    can TEXT NOT NULL,
    until_at BIGINT NOT NULL,
    run_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX session_share_session ON session_share (session_id);
CREATE INDEX session_share_whom ON session_share (whom) WHERE whom <> '';
CREATE INDEX session_share_until ON session_share (until_at) WHERE until_at <> 0;
CREATE UNIQUE INDEX session_share_digest ON session_share (digest) WHERE digest <> '';

-- Accounts that have followed the link of a share: from then on they need it no longer.
CREATE TABLE session_share_joined (
    share_id TEXT NOT NULL REFERENCES session_share (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (share_id, account_id)
);
CREATE INDEX session_share_joined_account ON session_share_joined (account_id);

-- Who asks to be let into a session (enter), and owners who ask the help desk to look at theirs (help). can is what they ask for, or what
-- they were given.
CREATE TABLE session_request (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    can TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    answered_at BIGINT NOT NULL DEFAULT 0,
    answered_by TEXT NOT NULL DEFAULT '',
    granted BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX session_request_session ON session_request (session_id);
CREATE INDEX session_request_open ON session_request (kind, created_at) WHERE answered_at = 0;

-- Who was in a session that is shared, and as what. Whoever comes by a link without an account has none here: people says how many
-- of them there are. A visit has ended if nobody has confirmed it for half a minute.
CREATE TABLE session_visit (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    can TEXT NOT NULL,
    people BIGINT NOT NULL,
    began_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX session_visit_session ON session_visit (session_id, account_id, can);
CREATE INDEX session_visit_open ON session_visit (seen_at) WHERE ended_at = 0;

-- +goose Down
DROP TABLE session_visit;
DROP TABLE session_request;
DROP TABLE session_share_joined;
DROP TABLE session_share;
