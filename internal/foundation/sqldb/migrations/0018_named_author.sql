-- One text for SQLite and PostgreSQL.

-- +goose Up
-- Who named somebody else as an author of an entry.
CREATE TABLE named_author (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    named_by TEXT NOT NULL,
    PRIMARY KEY (resource_id, email)
);

-- +goose Down
DROP TABLE named_author;
