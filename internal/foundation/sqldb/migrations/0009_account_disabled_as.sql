-- +goose Up
-- The e-mail under which operators disabled the account, if it has another one since; '' otherwise.
ALTER TABLE account ADD COLUMN disabled_as TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE account DROP COLUMN disabled_as;
