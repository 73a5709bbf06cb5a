-- +goose Up
-- The step that a launch is at, an engine.StepName; what it says once the session is no longer CREATED means nothing.
ALTER TABLE session ADD COLUMN step TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE session DROP COLUMN step;
