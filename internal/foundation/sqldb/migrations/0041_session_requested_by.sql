-- One text for SQLite and PostgreSQL.

-- +goose Up
-- Who requested that a session end, beside requested: 'operators', '' for its owner. Until now only operators gave a reason.
ALTER TABLE session ADD COLUMN requested_by TEXT NOT NULL DEFAULT '';
UPDATE session SET requested_by = 'operators' WHERE requested = 'TERMINATED' AND status_reason <> '';

-- +goose Down
ALTER TABLE session DROP COLUMN requested_by;
