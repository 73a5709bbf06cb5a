-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- The job that a session was started for; '' for the sessions in which people work.
ALTER TABLE session ADD COLUMN job_id TEXT NOT NULL DEFAULT '';

-- Jobs with a session of their own, whose id is known once that has been started. name is what people read; asked is what was asked for, in
-- JSON; target is the same text for all jobs that execute the same file of the same thing, so that they can be compared; previous_id is the
-- job whose outputs it is compared with. Until claimed_until one server prepares its notebook.
-- A job that its owner cancels has ended by cancel_by, whatever its session says. asked_digest is of what a client sent with a key. Memory is in bytes. A job that was deleted can be brought back for a while.
ALTER TABLE job ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN resource_id TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN asked TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN idempotency_key TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN schedule_id TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN previous_id TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN cancel_by BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN asked_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN processor_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN peak_memory BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX job_due ON job (schedule_id, due_at) WHERE schedule_id <> '';
CREATE INDEX job_session ON job (session_id, asked_at);
CREATE INDEX job_ended ON job (ended_at) WHERE ended_at > 0;
CREATE INDEX job_deleted ON job (deleted_at) WHERE deleted_at > 0;
CREATE INDEX session_job ON session (job_id) WHERE job_id <> '';

-- What is done again and again. asked is what each of its jobs is asked, in JSON; rule is when. due_at is when it's due next, 0 for never
-- again, and fired_at the due time of its last job, before which nothing is due any longer, whatever the clock does.
CREATE TABLE schedule (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    asked TEXT NOT NULL,
    rule TEXT NOT NULL,
    paused BOOLEAN NOT NULL DEFAULT FALSE,
    due_at BIGINT NOT NULL,
    fired_at BIGINT NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '',
    idempotency_key TEXT NOT NULL DEFAULT '',
    asked_digest TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL
);
CREATE INDEX schedule_account ON schedule (account_id, created_at);
CREATE INDEX schedule_due ON schedule (due_at);

-- +goose Down
DROP TABLE schedule;
DROP INDEX session_job;
DROP INDEX job_deleted;
DROP INDEX job_ended;
DROP INDEX job_session;
DROP INDEX job_due;
ALTER TABLE job DROP COLUMN deleted_at;
ALTER TABLE job DROP COLUMN peak_memory;
ALTER TABLE job DROP COLUMN processor_ms;
ALTER TABLE job DROP COLUMN asked_digest;
ALTER TABLE job DROP COLUMN cancel_by;
ALTER TABLE job DROP COLUMN claimed_until;
ALTER TABLE job DROP COLUMN previous_id;
ALTER TABLE job DROP COLUMN due_at;
ALTER TABLE job DROP COLUMN schedule_id;
ALTER TABLE job DROP COLUMN idempotency_key;
ALTER TABLE job DROP COLUMN target;
ALTER TABLE job DROP COLUMN asked;
ALTER TABLE job DROP COLUMN project_id;
ALTER TABLE job DROP COLUMN resource_id;
ALTER TABLE job DROP COLUMN name;
ALTER TABLE session DROP COLUMN job_id;
