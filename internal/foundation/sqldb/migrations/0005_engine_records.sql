-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- What an engine knows of the sessions that it has on other machines, as JSON of its own. version rises with every write.
CREATE TABLE engine_record (
    engine TEXT NOT NULL,
    session_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (engine, session_id)
);

-- +goose Down
DROP TABLE engine_record;
