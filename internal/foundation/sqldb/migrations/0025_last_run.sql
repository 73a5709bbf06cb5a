-- One text for SQLite and PostgreSQL.

-- +goose Up
-- What the entry shows of its runs by the catalog, as JSON; '' if it wasn't run.
ALTER TABLE resource ADD COLUMN last_run TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE resource DROP COLUMN last_run;
