-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- What operators list, count and search: without reading what sessions hold, and without sorting all accounts.
CREATE INDEX session_listed ON session (created_at, id, status, requested, engine, owner_email);
CREATE INDEX session_counted ON session (engine, status, requested, admitted_at);
CREATE INDEX session_failed ON session (updated_at) WHERE status = 'ERROR';
CREATE INDEX account_email ON account (email, disabled_as, seen_at);

-- +goose Down
DROP INDEX account_email;
DROP INDEX session_failed;
DROP INDEX session_counted;
DROP INDEX session_listed;
