-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- Runs of entries' files by the catalog itself. file is '' until it is known which one the entry opens; ref is what was asked
-- for, commit_id what was run; digest is the SHA-256 of the file; cells and environment are JSON; account_id is '' for the
-- schedule. kept: the files that it left are still there. latest: the last one of its file that came to a verdict; then
-- moved says that its repository has had newer commits when that was checked last.
CREATE TABLE run (
    id TEXT PRIMARY KEY,
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    ref TEXT NOT NULL,
    started_by TEXT NOT NULL,
    account_id TEXT NOT NULL,
    engine TEXT NOT NULL,
    state TEXT NOT NULL,
    verdict TEXT NOT NULL DEFAULT '',
    needs TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    code TEXT NOT NULL DEFAULT '',
    commit_id TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    cells TEXT NOT NULL DEFAULT '',
    environment TEXT NOT NULL DEFAULT '',
    attempts BIGINT NOT NULL DEFAULT 0,
    seconds DOUBLE PRECISION NOT NULL DEFAULT 0,
    peak_memory BIGINT NOT NULL DEFAULT 0,
    queued_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL DEFAULT 0,
    ended_at BIGINT NOT NULL DEFAULT 0,
    kept BOOLEAN NOT NULL DEFAULT FALSE,
    latest BOOLEAN NOT NULL DEFAULT FALSE,
    moved BOOLEAN NOT NULL DEFAULT FALSE,
    checked_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX run_resource ON run (resource_id, queued_at, id);
CREATE INDEX run_kept ON run (ended_at) WHERE kept;
CREATE INDEX run_latest ON run (resource_id) WHERE latest;
CREATE INDEX run_checked ON run (checked_at) WHERE latest;
-- At most one at a time of an entry's file.
CREATE UNIQUE INDEX run_live ON run (resource_id, file) WHERE state IN ('QUEUED', 'RUNNING');

-- The places that runs hold on engines. yields: somebody waits for it.
CREATE TABLE batch_place (
    id TEXT PRIMARY KEY,
    engine TEXT NOT NULL,
    yields BOOLEAN NOT NULL DEFAULT FALSE,
    taken_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE batch_place;
DROP TABLE run;
