-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- Files that people have sent, or are sending, and that aren't the content of an entry yet. The bytes are in a folder of this server.
CREATE TABLE upload (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    filename TEXT NOT NULL,
    path TEXT NOT NULL, -- in the folder that was sent; '' for a single file
    packed BOOLEAN NOT NULL, -- an archive that the sender made of many files
    bytes BIGINT NOT NULL, -- how many it has when it is complete
    wanted TEXT NOT NULL, -- the SHA-256 that its sender announced, in hexadecimal digits, or ''
    digest TEXT NOT NULL DEFAULT '', -- the SHA-256 of what arrived, once it is complete
    created_at BIGINT NOT NULL,
    touched_at BIGINT NOT NULL -- when its last bytes arrived
);
CREATE INDEX upload_account ON upload (account_id);
CREATE INDEX upload_touched ON upload (touched_at);

-- Versions of entries. The entry itself is its latest version; entry has what the others were, as JSON.
CREATE TABLE entry_version (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL, -- an e-mail address
    note TEXT NOT NULL,
    digest TEXT NOT NULL, -- of the files that this server keeps, or of the commit at a code host
    files BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    stored TEXT NOT NULL, -- which version of the stored files; '' if this server keeps none
    task TEXT NOT NULL DEFAULT '', -- that made it, or ''
    doi TEXT NOT NULL DEFAULT '',
    entry TEXT NOT NULL DEFAULT '',
    withdrawn_at BIGINT NOT NULL DEFAULT 0,
    withdrawn_reason TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (resource_id, number)
);

-- What makes uploads the content of an entry, which goes on when a server is killed.
CREATE TABLE content_task (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    resource_id TEXT NOT NULL, -- of the entry, which may not exist yet
    is_new BOOLEAN NOT NULL,
    request TEXT NOT NULL, -- JSON
    state TEXT NOT NULL,
    progress TEXT NOT NULL, -- JSON
    problem TEXT NOT NULL, -- JSON
    version INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL DEFAULT 0,
    worker TEXT NOT NULL DEFAULT '',
    held_until BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX content_task_account ON content_task (account_id);
CREATE INDEX content_task_state ON content_task (state);

-- +goose Down
DROP TABLE content_task;
DROP TABLE entry_version;
DROP TABLE upload;
