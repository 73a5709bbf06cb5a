-- One text for SQLite and PostgreSQL.

-- +goose Up
-- Why the last launch failed, as JSON (diagnosis.Cause); '' if it didn't, or if nothing is known.
ALTER TABLE session ADD COLUMN cause TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE session DROP COLUMN cause;
