-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC, 0 for not yet.

-- +goose Up
-- Guests of a workshop are accounts without a provider and an e-mail address: their issuer is "workshop", and their subject what stands for
-- an address wherever one is needed. From guest_until on they may do nothing but fetch their work. 0: not a guest.
ALTER TABLE account ADD COLUMN guest_until BIGINT NOT NULL DEFAULT 0;

-- The workshop of whose seats the session is one; empty: none.
ALTER TABLE session ADD COLUMN workshop_id TEXT NOT NULL DEFAULT '';
CREATE INDEX session_workshop ON session (workshop_id) WHERE workshop_id <> '';

-- A part of what an engine runs that is set aside for a while: places that others don't get, in which so many sessions run.
CREATE TABLE reservation (
    workshop_id TEXT PRIMARY KEY,
    engine TEXT NOT NULL,
    places BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    together BIGINT NOT NULL,
    from_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL
);
CREATE INDEX reservation_until ON reservation (until_at);

-- code is stored as it is, because hosts see it. cells are the code cells of the notebook as it was handed out (JSON).
CREATE TABLE workshop (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    account_id TEXT NOT NULL, -- of who prepared it
    owner_email TEXT NOT NULL,
    entry_id TEXT NOT NULL DEFAULT '',
    project_id TEXT NOT NULL DEFAULT '',
    event TEXT NOT NULL DEFAULT '',
    holds_name TEXT NOT NULL,
    holds_type TEXT NOT NULL,
    file TEXT NOT NULL DEFAULT '',
    ref TEXT NOT NULL DEFAULT '',
    engine TEXT NOT NULL,
    profile TEXT NOT NULL DEFAULT '',
    seats BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    timezone TEXT NOT NULL,
    network TEXT NOT NULL,
    guests BOOLEAN NOT NULL,
    link_key TEXT NOT NULL UNIQUE,
    old_keys TEXT NOT NULL DEFAULT '', -- that were replaced; they bring back to a seat and to its work, and to nothing else
    code TEXT NOT NULL,
    opened_at BIGINT NOT NULL DEFAULT 0,
    ending_at BIGINT NOT NULL DEFAULT 0,
    ended_at BIGINT NOT NULL DEFAULT 0,
    cleaned_at BIGINT NOT NULL DEFAULT 0,
    cells TEXT NOT NULL DEFAULT '',
    revision BIGINT NOT NULL DEFAULT 0, -- rises with each change by a host
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX workshop_account ON workshop (account_id);
CREATE INDEX workshop_open ON workshop (ended_at, starts_at);
CREATE INDEX workshop_event ON workshop (event) WHERE event <> '';

CREATE TABLE workshop_host (
    workshop_id TEXT NOT NULL REFERENCES workshop (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    PRIMARY KEY (workshop_id, email)
);
CREATE INDEX workshop_host_email ON workshop_host (email);

-- Who has a seat. Rows are kept when a seat is freed (left_at), so that whoever had it finds their work. name is what a person has typed,
-- here alone. progress is what is known of the cells (JSON).
CREATE TABLE workshop_seat (
    id TEXT PRIMARY KEY,
    workshop_id TEXT NOT NULL REFERENCES workshop (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    is_guest BOOLEAN NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL DEFAULT '', -- of the code that brings a guest back
    session_id TEXT NOT NULL DEFAULT '',
    joined_at BIGINT NOT NULL,
    left_at BIGINT NOT NULL DEFAULT 0,
    hand_at BIGINT NOT NULL DEFAULT 0,
    active_at BIGINT NOT NULL DEFAULT 0,
    progress TEXT NOT NULL DEFAULT '',
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX workshop_seat_taken ON workshop_seat (workshop_id, number) WHERE left_at = 0;
CREATE INDEX workshop_seat_account ON workshop_seat (account_id);
CREATE INDEX workshop_seat_session ON workshop_seat (session_id);

CREATE TABLE workshop_message (
    id TEXT PRIMARY KEY,
    workshop_id TEXT NOT NULL REFERENCES workshop (id) ON DELETE CASCADE,
    said TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX workshop_message_workshop ON workshop_message (workshop_id, created_at);

-- What is handed out: files (JSON, with their content).
CREATE TABLE workshop_handout (
    id TEXT PRIMARY KEY,
    workshop_id TEXT NOT NULL REFERENCES workshop (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    bundle TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX workshop_handout_workshop ON workshop_handout (workshop_id, created_at);

-- What has arrived at which seat, and where it lies there (JSON).
CREATE TABLE workshop_delivery (
    handout_id TEXT NOT NULL REFERENCES workshop_handout (id) ON DELETE CASCADE,
    seat_id TEXT NOT NULL,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    delivered_at BIGINT NOT NULL DEFAULT 0,
    files TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (handout_id, seat_id)
);

-- +goose Down
DROP TABLE workshop_delivery;
DROP TABLE workshop_handout;
DROP TABLE workshop_message;
DROP TABLE workshop_seat;
DROP TABLE workshop_host;
DROP TABLE workshop;
DROP TABLE reservation;
DROP INDEX session_workshop;
ALTER TABLE session DROP COLUMN workshop_id;
ALTER TABLE account DROP COLUMN guest_until;
