-- One text for SQLite and PostgreSQL.

-- +goose Up
-- The interface that the session's server shows (engine.Interface); '' while that isn't known.
ALTER TABLE session ADD COLUMN interface TEXT NOT NULL DEFAULT '';
ALTER TABLE warm_session ADD COLUMN interface TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE warm_session DROP COLUMN interface;
ALTER TABLE session DROP COLUMN interface;
