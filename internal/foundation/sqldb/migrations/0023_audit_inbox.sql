-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- Records until they are sealed, with a single index, because every change waits for its record. concerns is a JSON array of
-- what will be rows of audit_concern. Records in audit_record without a seal are from servers of the version before.
CREATE TABLE audit_inbox (
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
    concerns TEXT NOT NULL
);

-- +goose Down
DROP TABLE audit_inbox;
