-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- What a session's list shows of the versions of its work, which the engine keeps: when the last one was made, how many there
-- are, and why none are made at the moment. deleted_at: when its user deleted it, 0 if they didn't.
ALTER TABLE session ADD COLUMN saved_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN versions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN saving_stopped TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session DROP COLUMN deleted_at;
ALTER TABLE session DROP COLUMN saving_stopped;
ALTER TABLE session DROP COLUMN versions;
ALTER TABLE session DROP COLUMN saved_at;
