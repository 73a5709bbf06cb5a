-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- Versions of entries that are, or are on their way, at archives. Each waits for a person, has ended, or is worked on by the server that
-- holds it, which another one goes on with when it is killed.
CREATE TABLE deposit (
    id TEXT PRIMARY KEY,
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    at TEXT NOT NULL, -- the name of the archive
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, -- with whose connection
    state TEXT NOT NULL,
    draft TEXT NOT NULL, -- JSON: what is needed to find the draft again
    record_id TEXT NOT NULL DEFAULT '', -- of the draft at the archive, and of the record that it becomes
    progress TEXT NOT NULL, -- JSON
    problem TEXT NOT NULL DEFAULT '', -- JSON
    doi TEXT NOT NULL DEFAULT '',
    url TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, -- when its state changed
    worker TEXT NOT NULL DEFAULT '',
    held_until BIGINT NOT NULL DEFAULT 0, -- by the worker; without one, it isn't tried again before
    tries INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX deposit_version ON deposit (resource_id, version, at);
-- An archive has one draft of the next version of a record, so there is one deposit of an entry at a time.
CREATE UNIQUE INDEX deposit_open ON deposit (resource_id, at) WHERE state <> 'PUBLISHED';
CREATE INDEX deposit_account ON deposit (account_id);
CREATE INDEX deposit_work ON deposit (held_until) WHERE state IN ('UPLOADING', 'PUBLISHING');

-- +goose Down
DROP TABLE deposit;
