-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- What citing and harvesting needs of an entry. funding and related_identifiers are JSON lists, '' if there is nothing.
-- language is a BCP 47 tag, '' if unknown. issued_at is when an entry first was public (0: never); it stays afterwards. Of
-- entries that are older than this column, nobody knows more than when they were added.
ALTER TABLE resource ADD COLUMN funding TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN related_identifiers TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN issued_at BIGINT NOT NULL DEFAULT 0;
UPDATE resource SET issued_at = created_at WHERE privacy = 'PUBLIC';

-- +goose Down
ALTER TABLE resource DROP COLUMN issued_at;
ALTER TABLE resource DROP COLUMN language;
ALTER TABLE resource DROP COLUMN related_identifiers;
ALTER TABLE resource DROP COLUMN funding;
