-- One text for SQLite and PostgreSQL.

-- +goose Up
-- What the repository asks for and the last launch didn't install, as JSON (a list of engine.LeftOut); '' if nothing.
ALTER TABLE session ADD COLUMN left_out TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE session DROP COLUMN left_out;
