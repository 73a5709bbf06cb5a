-- Times: microseconds since 1970 UTC.

-- +goose Up
-- Sign-ins that ended, whose tokens may be valid still: those that were issued before issued_before are refused. digest is
-- of the provider's id of the sign-in, or of the token where it names none.
CREATE TABLE ended_sign_in (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    issued_before BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, digest)
);

-- +goose Down
DROP TABLE ended_sign_in;
