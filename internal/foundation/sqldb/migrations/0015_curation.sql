-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- What operators decided about an entry: taken off the catalog, and why; put on the landing page, when (0: not).
ALTER TABLE resource ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE resource ADD COLUMN hidden_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN featured_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX resource_hidden ON resource (id) WHERE hidden;
CREATE INDEX resource_featured ON resource (featured_at) WHERE featured_at > 0;

-- Open reports of entries: a row goes when operators close it.
CREATE TABLE report (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (resource_id, account_id)
);

-- Authors who left an entry: later versions of its descriptor don't bring them back.
CREATE TABLE left_author (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    PRIMARY KEY (resource_id, email)
);

-- Who added entries in the last hour.
CREATE TABLE addition (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    added_at BIGINT NOT NULL
);
CREATE INDEX addition_account ON addition (account_id, added_at);

-- +goose Down
DROP TABLE addition;
DROP TABLE left_author;
DROP TABLE report;
DROP INDEX resource_featured;
DROP INDEX resource_hidden;
ALTER TABLE resource DROP COLUMN featured_at;
ALTER TABLE resource DROP COLUMN hidden_reason;
ALTER TABLE resource DROP COLUMN hidden;
