-- One text for SQLite and PostgreSQL.

-- +goose Up
-- What an entry's descriptor asks for of a session: a JSON object, '' if nothing.
ALTER TABLE resource ADD COLUMN needs TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE resource DROP COLUMN needs;
