-- +goose Up
-- The ids of the datasets for want of which the last launch failed, with blanks between them.
ALTER TABLE session ADD COLUMN missing TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE session DROP COLUMN missing;
