-- Times: microseconds since 1970 UTC.

-- +goose Up
-- When the engine last had no room for the launch; 0: never. The session is back in the queue since then.
ALTER TABLE session ADD COLUMN refused_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session DROP COLUMN refused_at;
