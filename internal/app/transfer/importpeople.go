package transfer

import (
	"context"
	"slices"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// anyKind lets a reference name an entry of any type.
const anyKind catalog.Type = ""

// importedPeople are the lines about people, which are written after the entries.
type importedPeople struct {
	wanted                            []reference // accounts that stars and sessions name
	accounts, grants, stars, sessions []importLine
}

func (p *importedPeople) add(line importLine) {
	switch line.Kind {
	case "account":
		p.accounts = append(p.accounts, line)
	case "grant":
		p.grants = append(p.grants, line)
	case "star":
		p.stars = append(p.stars, line)
	case "session":
		p.sessions = append(p.sessions, line)
	}
}

// checkPerson returns what is wrong with a line about somebody, and remembers what it refers to.
func (run *importer) checkPerson(position string, line importLine) (fields []fault.Field) {
	wrong := func(location, message string) {
		fields = append(fields, fault.Field{Location: location, Message: message})
	}
	switch line.Kind {
	case "account":
		if line.Issuer == "" || line.Subject == "" {
			wrong("subject", "an account needs the issuer and the subject of its sign-in")
		}
		if email := line.account().Email; email != "" && !identity.ValidEmail(email) {
			wrong("email", "must be an e-mail address")
		}
	case "grant":
		if !identity.ValidEmail(line.grant().Email) {
			wrong("email", "must be an e-mail address")
		}
		if line.Role != identity.RoleUser && line.Role != identity.RoleOperator {
			wrong("role", "must be "+identity.RoleUser+" or "+identity.RoleOperator)
		}
	case "star":
		run.accounts.wanted = append(run.accounts.wanted, reference{position: position, externalID: line.Account})
		run.wanted = append(run.wanted, reference{position: position + ": resource", externalID: line.Resource, kind: anyKind})
	case "session":
		run.accounts.wanted = append(run.accounts.wanted, reference{position: position, externalID: line.Account})
		fields = line.session().Check()
	}
	return fields
}

func (l importLine) checkCuration() []fault.Field {
	states := []catalog.Status{"", catalog.StatusNone, catalog.StatusVerified, catalog.StatusRejected}
	if !slices.Contains(states, l.Status) {
		return []fault.Field{{Location: "status", Message: "must be NONE, VERIFIED or REJECTED"}}
	}
	return nil
}

// curate writes what operators decided about the entries; those that were featured first are first again.
func (run *importer) curate(ctx context.Context) error {
	slices.SortStableFunc(run.curated, func(a, b importLine) int { return a.Featured - b.Featured })
	ids, err := run.idsOf(ctx, run.curated, func(line importLine) string { return line.ExternalID })
	if err != nil {
		return err
	}
	for _, line := range run.curated {
		change, _ := line.Curation()
		if _, err := run.entries.Curate(ctx, ids[line.ExternalID].ID, change); fault.KindOf(err) != fault.NotFound && err != nil { // deleted here
			return run.interrupted(err)
		}
	}
	return nil
}

// idsOf finds the entries that lines name.
func (run *importer) idsOf(ctx context.Context, lines []importLine, name func(importLine) string) (map[string]catalog.Imported, error) {
	var names []string
	for _, line := range lines {
		names = append(names, name(line))
	}
	found, err := run.lookUp(ctx, names)
	if err != nil {
		return nil, run.interrupted(err)
	}
	return found, nil
}

// writePeople writes accounts, grants, stars and sessions.
func (run *importer) writePeople(ctx context.Context) error {
	accounts := make([]identity.Exported, len(run.accounts.accounts))
	for i, line := range run.accounts.accounts {
		accounts[i] = line.account()
	}
	if len(run.accounts.grants) > 0 && len(accounts) == 0 { // the record of the import goes with the accounts
		if _, err := run.people.Import(ctx, nil, run.events()...); err != nil {
			return run.interrupted(err)
		}
	}
	accountIDs := map[string]string{}
	ids, err := writeAll(ctx, run, accounts, func(ctx context.Context, part []identity.Exported) ([]string, error) {
		return run.people.Import(ctx, part, run.events()...)
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		accountIDs[run.accounts.accounts[i].ExternalID] = id
	}

	grants := make([]identity.Grant, len(run.accounts.grants))
	for i, line := range run.accounts.grants {
		grants[i] = line.grant()
	}
	if _, err := writeAll(ctx, run, grants, func(ctx context.Context, part []identity.Grant) ([]string, error) {
		return nil, run.people.Decide(ctx, part, false)
	}); err != nil {
		return err
	}

	entries, err := run.idsOf(ctx, run.accounts.stars, func(line importLine) string { return line.Resource })
	if err != nil {
		return err
	}
	stars := make([]catalog.Star, len(run.accounts.stars))
	for i, line := range run.accounts.stars {
		stars[i] = catalog.Star{AccountID: accountIDs[line.Account], ResourceID: entries[line.Resource].ID, At: sqldb.Micros(line.CreatedAt)}
	}
	if _, err := writeAll(ctx, run, stars, func(ctx context.Context, part []catalog.Star) ([]string, error) {
		return nil, run.entries.ImportStars(ctx, part)
	}); err != nil {
		return err
	}

	facts := make([]sessions.Exported, len(run.accounts.sessions))
	for i, line := range run.accounts.sessions {
		facts[i] = line.session()
		facts[i].AccountID = accountIDs[line.Account]
	}
	_, err = writeAll(ctx, run, facts, func(ctx context.Context, part []sessions.Exported) ([]string, error) {
		return nil, run.sessions.Import(ctx, part)
	})
	return err
}

// writeAll writes values in chunks and returns what write returned for all of them.
func writeAll[Value any](ctx context.Context, run *importer, values []Value, write func(ctx context.Context, part []Value) ([]string, error)) ([]string, error) {
	var all []string
	for part := range slices.Chunk(values, importChunk) {
		ids, err := write(ctx, part)
		if err != nil {
			return nil, run.interrupted(err)
		}
		all = append(all, ids...)
		run.advance(len(part))
	}
	return all, nil
}
