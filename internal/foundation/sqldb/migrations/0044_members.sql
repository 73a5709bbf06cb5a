-- One text for SQLite and PostgreSQL. Times: microseconds since 1970 UTC.

-- +goose Up
-- Who may see a project besides its owner (viewer), or change it too (editor), by e-mail address: somebody may never have signed in.
CREATE TABLE project_member (
    project_id TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, email)
);
CREATE INDEX project_member_email ON project_member (email);

-- To whom the owner offers a project; '' for nobody.
ALTER TABLE project ADD COLUMN offered_to TEXT NOT NULL DEFAULT '';
CREATE INDEX project_offered ON project (offered_to) WHERE offered_to <> '';

-- +goose Down
DROP INDEX project_offered;
ALTER TABLE project DROP COLUMN offered_to;
DROP TABLE project_member;
