-- One text for SQLite and PostgreSQL.

-- +goose Up
-- Sessions that run before anybody asks for them. They have no account and are in no list of anybody's; a start that
-- claims one deletes its row here and adds it to session, with the same id. entry is the id in the configuration, held the
-- digest of what the session holds. opens, open_note and left_out are as in session.
CREATE TABLE warm_session (
    id TEXT PRIMARY KEY,
    entry TEXT NOT NULL,
    name TEXT NOT NULL,
    engine TEXT NOT NULL,
    held TEXT NOT NULL,
    phase TEXT NOT NULL,
    opens TEXT NOT NULL DEFAULT '',
    open_note TEXT NOT NULL DEFAULT '',
    left_out TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE warm_session;
