-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- What harvesters know of entries: each that was public once, when it last appeared, changed or disappeared, and its type
-- then. deleted: it isn't public any longer. Rows stay for good.
CREATE TABLE appearance (
    resource_id TEXT PRIMARY KEY REFERENCES resource (id),
    type TEXT NOT NULL,
    stamp BIGINT NOT NULL,
    deleted BOOLEAN NOT NULL DEFAULT FALSE
);

-- The newest stamp. Transactions take later ones as they end, so stamps ascend in the order of commits.
CREATE TABLE appearance_clock (stamp BIGINT NOT NULL);

INSERT INTO appearance (resource_id, type, stamp, deleted)
SELECT id, type, updated_at, state <> 'ACTIVE' OR hidden OR privacy <> 'PUBLIC' FROM resource WHERE privacy = 'PUBLIC' OR issued_at > 0;
INSERT INTO appearance_clock (stamp) SELECT coalesce(max(stamp), 0) FROM appearance;

CREATE INDEX appearance_stamp ON appearance (stamp, resource_id);
CREATE INDEX appearance_type ON appearance (type, stamp, resource_id);

-- +goose Down
DROP TABLE appearance_clock;
DROP TABLE appearance;
