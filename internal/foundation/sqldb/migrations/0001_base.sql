-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC. Ids: UUIDs in lower-case text.

-- +goose Up
CREATE TABLE resource (
    id TEXT PRIMARY KEY,
    external_id TEXT UNIQUE,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    header_image TEXT NOT NULL,
    privacy TEXT NOT NULL,
    status TEXT NOT NULL,
    state TEXT NOT NULL,
    repository_url TEXT NOT NULL,
    dataset_url TEXT NOT NULL,
    notebook_path TEXT NOT NULL,
    application_interface_id TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE tag (
    id TEXT PRIMARY KEY,
    value TEXT NOT NULL UNIQUE
);

CREATE TABLE resource_tag (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    tag_id TEXT NOT NULL REFERENCES tag (id),
    PRIMARY KEY (resource_id, tag_id)
);

CREATE INDEX resource_tag_tag ON resource_tag (tag_id);

CREATE TABLE resource_author (
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    email TEXT NOT NULL,
    PRIMARY KEY (resource_id, email)
);

-- Every committed change of a catalog entry, numbered in the order of commit; see Tx.Changed.
CREATE TABLE change_counter (seq BIGINT NOT NULL);
INSERT INTO change_counter (seq) VALUES (0);
CREATE TABLE change (
    seq BIGINT PRIMARY KEY,
    resource_id TEXT NOT NULL
);

-- Facts about this database, such as which demo content it has.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- Who has signed in, and what the operators decided by e-mail, for accounts not seen yet too.
CREATE TABLE account (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (issuer, subject)
);
CREATE TABLE account_grant (
    email TEXT PRIMARY KEY,
    enabled BOOLEAN NOT NULL,
    role TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE star (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    resource_id TEXT NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, resource_id)
);
CREATE INDEX star_resource ON star (resource_id);

CREATE TABLE project (
    id TEXT PRIMARY KEY,
    external_id TEXT UNIQUE,
    name TEXT NOT NULL,
    owner_email TEXT NOT NULL,
    repository_id TEXT NOT NULL REFERENCES resource (id),
    published BOOLEAN NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX project_owner ON project (owner_email);
CREATE INDEX project_repository ON project (repository_id);
CREATE TABLE project_dataset (
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    resource_id TEXT NOT NULL REFERENCES resource (id),
    PRIMARY KEY (project_id, resource_id)
);
CREATE INDEX project_dataset_resource ON project_dataset (resource_id);

-- holds is what the session was made from (sessions.Holds as JSON): it outlives its project and its entries.
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES account (id),
    owner_email TEXT NOT NULL,
    project_id TEXT NOT NULL,
    holds TEXT NOT NULL,
    engine TEXT NOT NULL,
    status TEXT NOT NULL,
    status_reason TEXT NOT NULL,
    requested TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    launched_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX session_account ON session (account_id);
CREATE INDEX session_status ON session (status);

-- Ways into the session origin. Only digests of tickets and cookies are kept.
CREATE TABLE session_access (
    digest TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    login TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX session_access_session ON session_access (session_id);
CREATE INDEX session_access_login ON session_access (account_id, login);

-- +goose Down
DROP TABLE session_access;
DROP TABLE session;
DROP TABLE project_dataset;
DROP TABLE project;
DROP TABLE star;
DROP TABLE account_grant;
DROP TABLE account;
DROP TABLE meta;
DROP TABLE change;
DROP TABLE change_counter;
DROP TABLE resource_author;
DROP TABLE resource_tag;
DROP TABLE tag;
DROP TABLE resource;
