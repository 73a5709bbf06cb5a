-- One text for SQLite and PostgreSQL.

-- +goose Up
-- people is a JSON list of {name, orcid, email} when an entry credits somebody by more than an address, '' otherwise.
-- added_by has an author's rights without being one. host_id is the code host's own id of a repository, as in
-- github.com/1296269, which stays when it is renamed or transferred; '' until it is known.
ALTER TABLE resource ADD COLUMN people TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN added_by TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN license TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN doi TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN host_id TEXT NOT NULL DEFAULT '';
CREATE INDEX resource_host_id ON resource (host_id) WHERE host_id <> '';

-- +goose Down
DROP INDEX resource_host_id;
ALTER TABLE resource DROP COLUMN host_id;
ALTER TABLE resource DROP COLUMN doi;
ALTER TABLE resource DROP COLUMN license;
ALTER TABLE resource DROP COLUMN added_by;
ALTER TABLE resource DROP COLUMN people;
