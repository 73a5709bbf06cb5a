-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- Personal access tokens. digest is the SHA-256 of the token, which isn't stored; scopes are words separated by spaces;
-- last_used_at is right to an hour, 0 until the first use.
CREATE TABLE access_token (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX access_token_account ON access_token (account_id, created_at);

-- +goose Down
DROP TABLE access_token;
