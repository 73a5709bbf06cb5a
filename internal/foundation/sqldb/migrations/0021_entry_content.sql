-- One text for SQLite and PostgreSQL.

-- +goose Up
-- Plain text that is searched with an entry, by the file that it comes from: the beginning of its README, the headings and
-- texts of its notebook, the columns of its tables.
CREATE TABLE entry_content (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (resource_id, source)
);

-- +goose Down
DROP TABLE entry_content;
