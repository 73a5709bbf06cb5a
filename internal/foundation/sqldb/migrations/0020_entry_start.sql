-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- When an account last started a session with an entry, for as long as it counts.
CREATE TABLE entry_start (
    resource_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    started_at BIGINT NOT NULL,
    PRIMARY KEY (resource_id, account_id)
);
CREATE INDEX entry_start_started_at ON entry_start (started_at);

-- How many of them there were when they were last counted.
ALTER TABLE resource ADD COLUMN starters BIGINT NOT NULL DEFAULT 0;
CREATE INDEX resource_starters ON resource (id) WHERE starters > 0;

-- +goose Down
DROP INDEX resource_starters;
ALTER TABLE resource DROP COLUMN starters;
DROP TABLE entry_start;
