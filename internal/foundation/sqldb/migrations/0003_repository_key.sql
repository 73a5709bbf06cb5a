-- One text for SQLite and PostgreSQL.

-- +goose Up
-- repository_key is what is compared to tell whether two addresses are of one repository: host/owner/name in lower case
-- (catalog.RepositoryKey); '' for entries that are no repositories. Not unique: imports may hold one repository twice.
ALTER TABLE resource ADD COLUMN repository_key TEXT NOT NULL DEFAULT '';
UPDATE resource SET repository_key = rtrim(replace(replace(lower(repository_url), 'https://', ''), 'http://', ''), '/')
    WHERE type = 'REPOSITORY';
UPDATE resource SET repository_key = rtrim(substr(repository_key, 1, length(repository_key) - 4), '/')
    WHERE repository_key LIKE '%.git';
CREATE INDEX resource_repository_key ON resource (repository_key) WHERE repository_key <> '';

-- +goose Down
DROP INDEX resource_repository_key;
ALTER TABLE resource DROP COLUMN repository_key;
