-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- Accounts at other services that people have connected. sealed has the tokens, encrypted with a key that isn't in the database. A row that
-- isn't kept is of somebody who looks at what was granted; there may be a kept one beside it.
CREATE TABLE connection (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    host TEXT NOT NULL,
    kept BOOLEAN NOT NULL,
    login TEXT NOT NULL,
    granted TEXT NOT NULL, -- JSON
    scopes TEXT NOT NULL, -- JSON, in the words of the host
    way TEXT NOT NULL,
    sealed TEXT NOT NULL,
    refused BOOLEAN NOT NULL DEFAULT FALSE, -- the host no longer takes the token
    expires_at BIGINT NOT NULL, -- of the token; 0: it doesn't expire, as far as is known
    refreshing_until BIGINT NOT NULL DEFAULT 0, -- a server is fetching a new token
    created_at BIGINT NOT NULL,
    kept_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, host, kept)
);
CREATE INDEX connection_pending ON connection (created_at) WHERE NOT kept;

-- Browsers that were sent to a service to connect an account there. Each comes back once.
CREATE TABLE connection_attempt (
    digest TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    host TEXT NOT NULL,
    verifier TEXT NOT NULL, -- of PKCE, encrypted
    created_at BIGINT NOT NULL
);
CREATE INDEX connection_attempt_created ON connection_attempt (created_at);

-- Who sees a private entry besides its authors. host: those who can read its repository at its code host.
ALTER TABLE resource ADD COLUMN audience TEXT NOT NULL DEFAULT '';
CREATE INDEX resource_audience ON resource (audience) WHERE audience <> '';

-- +goose Down
DROP INDEX resource_audience;
ALTER TABLE resource DROP COLUMN audience;
DROP TABLE connection_attempt;
DROP TABLE connection;
