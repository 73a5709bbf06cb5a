-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC; 0: not yet.

-- +goose Up
-- queued_at orders the queue; admitted_at is when the session left it; queue_position is 0 outside of it. attempts counts
-- the tries to launch, so that of several processes only the one that read the last number tries next.
ALTER TABLE session ADD COLUMN queued_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN admitted_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN queue_position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN last_activity_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN stops_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN warning TEXT NOT NULL DEFAULT '';
CREATE INDEX session_requested ON session (requested);
UPDATE session SET queued_at = created_at, admitted_at = launched_at, last_activity_at = updated_at;

-- How long finished launches took: the forecast. steps is sessions.durations as JSON.
CREATE TABLE launch (
    id TEXT PRIMARY KEY,
    engine TEXT NOT NULL,
    steps TEXT NOT NULL,
    ended_at BIGINT NOT NULL
);
CREATE INDEX launch_engine ON launch (engine, ended_at);

-- Numbers that processes follow to learn of each other's commits. A row is updated last in its transaction, and its lock
-- makes the numbers rise in the order of commit.
CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    seq BIGINT NOT NULL
);
INSERT INTO counter (name, seq) VALUES ('accounts', 0), ('sessions', 0), ('queue', 0);

-- The last number of "sessions" that changed what an account's list of sessions shows.
CREATE TABLE session_version (
    account_id TEXT PRIMARY KEY,
    seq BIGINT NOT NULL
);
CREATE INDEX session_version_seq ON session_version (seq);

-- +goose Down
DROP TABLE session_version;
DROP TABLE counter;
DROP TABLE launch;
DROP INDEX session_requested;
ALTER TABLE session DROP COLUMN warning;
ALTER TABLE session DROP COLUMN stops_at;
ALTER TABLE session DROP COLUMN last_activity_at;
ALTER TABLE session DROP COLUMN attempts;
ALTER TABLE session DROP COLUMN queue_position;
ALTER TABLE session DROP COLUMN admitted_at;
ALTER TABLE session DROP COLUMN queued_at;
