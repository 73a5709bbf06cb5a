-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- What goes on without its user: so far the execution of the rest of a notebook in its session. request is what the session was asked, in
-- JSON; failed_at is the index of a cell, -1 for none. The session may be gone.
CREATE TABLE job (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    file TEXT NOT NULL,
    request TEXT NOT NULL,
    state TEXT NOT NULL,
    code TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    beside TEXT NOT NULL DEFAULT '',
    total BIGINT NOT NULL DEFAULT 0,
    done BIGINT NOT NULL DEFAULT 0,
    failed_at BIGINT NOT NULL DEFAULT -1,
    asked_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL DEFAULT 0,
    ended_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX job_account ON job (account_id, asked_at);
CREATE INDEX job_live ON job (state) WHERE state IN ('QUEUED', 'RUNNING');

-- +goose Down
DROP TABLE job;
