package projects

import (
	"context"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// membersLimit is the maximum number of members of a project.
const membersLimit = 200

// roles returns the roles that somebody has in projects as a member, by their ids.
func (s *Store) roles(ctx context.Context, email string, projects []row) (map[string]Role, error) {
	roles := map[string]Role{}
	if email == "" || len(projects) == 0 {
		return roles, nil
	}
	ids := make([]string, len(projects))
	for i, one := range projects {
		ids[i] = one.ID
	}
	err := sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, `SELECT project_id, role FROM project_member WHERE email = $1 AND project_id IN (`+sqldb.Placeholders(2, len(part))+`)`,
			append([]any{email}, sqldb.Arguments(part)...)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var role Role
			if err := rows.Scan(&id, &role); err != nil {
				return err
			}
			roles[id] = role
		}
		return rows.Err()
	})
	return roles, err
}

// SharedWith returns the active projects that somebody is a member of, or that are offered to them, newest first.
func (s *Store) SharedWith(ctx context.Context, email string) ([]row, error) {
	return list(ctx, s.db, `p.state = $1 AND p.owner_email <> $2 AND (p.offered_to = $2 OR EXISTS (
		SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.email = $2))`, catalog.StateActive, email)
}

// members returns the members of a project, by their addresses.
func (s *Store) members(ctx context.Context, id string) ([]Member, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT email, role, created_at FROM project_member WHERE project_id = $1 ORDER BY email`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []Member{}
	for rows.Next() {
		var one Member
		var since int64
		if err := rows.Scan(&one.Email, &one.Role, &since); err != nil {
			return nil, err
		}
		one.Since = sqldb.Time(since)
		found = append(found, one)
	}
	return found, rows.Err()
}

// setMember adds a member to a project, or gives them another role; Conflict over membersLimit.
func (s *Store) setMember(ctx context.Context, project Project, email string, role Role) error {
	return s.change(ctx, project, func(tx *sqldb.Tx) (audit.Event, error) {
		event := about(audit.ShareProject, project, email, audit.Change{Column: "project_member.role", New: string(role)})
		var others int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM project_member WHERE project_id = $1 AND email <> $2`, project.ID, email).Scan(&others); err != nil {
			return event, err
		}
		if others >= membersLimit {
			return event, fault.New(fault.Conflict, "This project has %d members, the maximum.", others)
		}
		return event, putMember(ctx, tx, project.ID, email, role)
	})
}

func putMember(ctx context.Context, tx *sqldb.Tx, id, email string, role Role) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO project_member (project_id, email, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (project_id, email) DO UPDATE SET role = excluded.role`, id, email, role, sqldb.Micros(tx.Now))
	return err
}

// member returns a member of a project; NotFound if there is none.
func (s *Store) member(ctx context.Context, id, email string) (Member, error) {
	found, err := s.members(ctx, id)
	for _, one := range found {
		if one.Email == email {
			return one, nil
		}
	}
	if err == nil {
		err = noMember(email)
	}
	return Member{}, err
}

func noMember(email string) error {
	return fault.New(fault.NotFound, "%s isn't a member of this project.", fault.Quote(email))
}

// removeMember removes a member from a project; NotFound if they are none.
func (s *Store) removeMember(ctx context.Context, project Project, email string) error {
	return s.change(ctx, project, func(tx *sqldb.Tx) (audit.Event, error) {
		event := about(audit.LeaveProject, project, email)
		result, err := tx.ExecContext(ctx, `DELETE FROM project_member WHERE project_id = $1 AND email = $2`, project.ID, email)
		if err != nil {
			return event, err
		}
		count, err := result.RowsAffected()
		if err == nil && count == 0 {
			err = noMember(email)
		}
		return event, err
	})
}

// offer stores to whom a project is offered; "" withdraws that.
func (s *Store) offer(ctx context.Context, project Project, email string) error {
	return s.change(ctx, project, func(tx *sqldb.Tx) (audit.Event, error) {
		_, err := tx.ExecContext(ctx, `UPDATE project SET offered_to = $1 WHERE id = $2`, email, project.ID)
		return about(audit.OfferProject, project, email+project.OfferedTo, audit.Change{Column: "project.offered_to", Old: project.OfferedTo, New: email}), err
	})
}

// accept makes the one to whom a project is offered its owner; the owner before becomes an editor.
func (s *Store) accept(ctx context.Context, project Project, email string) error {
	return s.change(ctx, project, func(tx *sqldb.Tx) (audit.Event, error) {
		event := about(audit.AcceptProject, project, email)
		_, err := tx.ExecContext(ctx, `UPDATE project SET owner_email = $1, offered_to = '', updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at + 1 END WHERE id = $3`,
			email, sqldb.Micros(tx.Now), project.ID)
		if err != nil {
			return event, err
		}
		if _, err = tx.ExecContext(ctx, `DELETE FROM project_member WHERE project_id = $1 AND email = $2`, project.ID, email); err != nil {
			return event, err
		}
		return event, putMember(ctx, tx, project.ID, project.OwnerID, Editor)
	})
}

// refuse records that the one to whom a project is offered doesn't want it.
func (s *Store) refuse(ctx context.Context, project Project) error {
	return s.change(ctx, project, func(tx *sqldb.Tx) (audit.Event, error) {
		_, err := tx.ExecContext(ctx, `UPDATE project SET offered_to = '' WHERE id = $1`, project.ID)
		return about(audit.RefuseProject, project, project.OfferedTo), err
	})
}

// change changes who may do what with a project, one change after the other. ProjectChanged if the owner or the offer isn't as it was read.
func (s *Store) change(ctx context.Context, project Project, how func(tx *sqldb.Tx) (audit.Event, error)) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE project SET id = id WHERE id = $1`, project.ID); err != nil {
			return err
		}
		before, err := projectIn(ctx, tx, project.ID)
		if err != nil {
			return err
		}
		if before.State != catalog.StateActive || before.OwnerID != project.OwnerID || project.OfferedTo != "" && before.OfferedTo != project.OfferedTo {
			return errOwnerChanged
		}
		event, err := how(tx)
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, event)
	})
}

// mayChange returns errOwnerChanged unless somebody owns a project or edits it.
func mayChange(ctx context.Context, tx *sqldb.Tx, project row, email string) error {
	if project.OwnedBy(email) {
		return nil
	}
	var editors int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM project_member WHERE project_id = $1 AND email = $2 AND role = $3`, project.ID, email, Editor).Scan(&editors)
	if err == nil && editors == 0 {
		err = errOwnerChanged
	}
	return err
}

// about returns an event about a project that concerns its owner and somebody else.
func about(action audit.Action, project Project, other string, changes ...audit.Change) audit.Event {
	event := audit.Event{
		Action: action, Object: audit.Object{Type: audit.Project, ID: project.ID, Name: project.Name, Private: !project.Published},
		Changes: changes, Concerns: []string{project.OwnerID},
	}
	if other != project.OwnerID {
		event.Concerns = append(event.Concerns, other)
	}
	return event
}
