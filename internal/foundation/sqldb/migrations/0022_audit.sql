-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- Who changed what, written in the transaction of the change. actor_id is '' for a command, and actor its e-mail address or
-- 'command'; changes is JSON (audit.Changes). seal is the number of the seal that the record is under, 0 until it has one.
CREATE TABLE audit_record (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object_type TEXT NOT NULL,
    object_id TEXT NOT NULL,
    object_name TEXT NOT NULL,
    changes TEXT NOT NULL,
    address TEXT NOT NULL,
    request_id TEXT NOT NULL,
    seal BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX audit_record_at ON audit_record (at, id);
CREATE INDEX audit_record_seal ON audit_record (seal, id);
CREATE INDEX audit_record_actor_id ON audit_record (actor_id, at);
CREATE INDEX audit_record_actor ON audit_record (actor, at);
CREATE INDEX audit_record_object_id ON audit_record (object_id, at);
CREATE INDEX audit_record_object_name ON audit_record (object_name) WHERE object_name <> '';

-- Whom a record concerns besides its actor, by e-mail address; and which other objects it is about, by id.
CREATE TABLE audit_concern (
    whom TEXT NOT NULL,
    record_id TEXT NOT NULL REFERENCES audit_record (id) ON DELETE CASCADE,
    PRIMARY KEY (whom, record_id)
);
CREATE INDEX audit_concern_record ON audit_concern (record_id);

-- The hash chain: each hash is of the one before and of all records under the seal.
CREATE TABLE audit_seal (
    number BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    records BIGINT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX audit_seal_at ON audit_seal (at);

-- The end of the chain, the last seal whose records retention removed, and the server that seals, in one row.
CREATE TABLE audit_head (
    number BIGINT NOT NULL,
    hash TEXT NOT NULL,
    removed BIGINT NOT NULL,
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL
);
INSERT INTO audit_head (number, hash, removed, holder, held_until) VALUES (0, '', 0, '', 0);

-- +goose Down
DROP TABLE audit_head;
DROP TABLE audit_seal;
DROP TABLE audit_concern;
DROP TABLE audit_record;
