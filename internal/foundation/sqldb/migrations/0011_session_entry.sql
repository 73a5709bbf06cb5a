-- One text for SQLite and PostgreSQL.

-- +goose Up
-- What a session was started from besides its project, as JSON (sessions.origin); '' if nothing else. opens is the file
-- that it opens, relative to its work folder, and open_note why that isn't the file that was wanted.
ALTER TABLE session ADD COLUMN started_from TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN opens TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN open_note TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE session DROP COLUMN open_note;
ALTER TABLE session DROP COLUMN opens;
ALTER TABLE session DROP COLUMN started_from;
