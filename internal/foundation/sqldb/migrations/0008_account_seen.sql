-- Times: microseconds since 1970 UTC.

-- +goose Up
-- When a valid token of the account was last seen, to the minute. Of accounts from before: when a cookie of theirs was last
-- renewed, eight hours before it expires, so that their sessions stay open.
ALTER TABLE account ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
UPDATE account SET seen_at = COALESCE(
    (SELECT MAX(expires_at) - 28800000000 FROM session_access WHERE account_id = account.id AND kind = 'cookie'), 0);

-- +goose Down
ALTER TABLE account DROP COLUMN seen_at;
