-- One text for SQLite and PostgreSQL.

-- +goose Up
-- When somebody last asked to keep an idle session going; 0 if nobody did.
ALTER TABLE session ADD COLUMN kept_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session DROP COLUMN kept_at;
