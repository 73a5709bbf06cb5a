package identity

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/sqldb"
)

// PeopleQuery selects people: all conditions must hold.
type PeopleQuery struct {
	Search  string // a part of the e-mail or name
	Waiting bool   // only those who wait to be enabled
	Offset  int
	Limit   int // 0: everybody

	emails []string // only these, instead of Search
}

// arguments are the values of a query, numbered as they are added.
type arguments []any

func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

var likeSigns = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// enables returns the condition that the policy enables an e-mail in the column.
func (p Policy) enables(values *arguments, column string) string {
	if p.Auto {
		return `TRUE`
	}
	conditions := []string{`FALSE`}
	for _, domain := range p.Domains {
		conditions = append(conditions, column+` LIKE `+values.add("%@"+likeSigns.Replace(domain))+` ESCAPE '\'`)
	}
	return `(` + strings.Join(conditions, ` OR `) + `)`
}

// People returns people who signed in or have a decision, each once, those who wait first and then by e-mail, and the
// number of all that match. An e-mail of an account that is disabled under a former one is disabled too.
func (s *Store) People(ctx context.Context, policy Policy, query PeopleQuery) (people []Person, total int, err error) {
	chosen := query
	paged := strings.TrimSpace(query.Search) == "" && query.Limit > 0
	if paged { // whose e-mails are on the page is known from indexes alone
		if chosen.emails, total, err = s.emails(ctx, policy, query); err != nil || len(chosen.emails) == 0 {
			return []Person{}, total, err
		}
		chosen.Limit = 0
	}
	var values arguments
	page := ` ORDER BY waiting DESC, email`
	from := fromPeople(&values, policy, chosen)
	if chosen.Limit > 0 {
		page += ` LIMIT ` + values.add(chosen.Limit) + ` OFFSET ` + values.add(chosen.Offset)
	}
	rows, err := s.db.QueryContext(ctx, from+` SELECT email, name, seen, disabled_as, enabled, role, by_policy, count(*) OVER () FROM judged`+page, values...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	people = []Person{}
	found := 0
	for rows.Next() {
		var person Person
		var seen int64
		var enabled sql.NullBool
		var role sql.NullString
		var disabledAs string
		var byPolicy bool
		if err := rows.Scan(&person.Email, &person.Name, &seen, &disabledAs, &enabled, &role, &byPolicy, &found); err != nil {
			return nil, 0, err
		}
		person.Decided = enabled.Valid || disabledAs != ""
		person.Enabled = disabledAs == "" && (enabled.Bool || (!enabled.Valid && byPolicy))
		person.Role = cmp.Or(role.String, RoleUser)
		if seen != 0 {
			at := sqldb.Time(seen)
			person.SeenAt = &at
		}
		people = append(people, person)
	}
	if !paged {
		total = found
	}
	if err := rows.Err(); err != nil || len(people) > 0 || query.Offset == 0 {
		return people, total, err
	}
	values = nil // beyond the last page of a search
	err = s.db.QueryRowContext(ctx, fromPeople(&values, policy, query)+` SELECT count(*) FROM judged`, values...).Scan(&total)
	return people, total, err
}

// waiting returns a query of the e-mails that accounts have and that wait to be enabled. A condition on the e-mail leaves out
// all accounts with it or none, so what is left is grouped in the order of the index.
func (p Policy) waiting(values *arguments) string {
	return `SELECT a.email FROM account a WHERE a.email <> '' AND NOT ` + p.enables(values, "a.email") + `
		AND NOT EXISTS (SELECT 1 FROM account_grant g WHERE g.email = a.email) GROUP BY a.email HAVING max(a.disabled_as) = '' `
}

// emails returns the e-mails of a page without a search, in no certain order, and the number on all pages.
func (s *Store) emails(ctx context.Context, policy Policy, query PeopleQuery) (emails []string, total int, err error) {
	waiting, err := s.CountWaiting(ctx, policy)
	if err != nil {
		return nil, 0, err
	}
	read := func(statement string, values []any) error {
		rows, err := s.db.QueryContext(ctx, statement, values...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var email string
			if err := rows.Scan(&email); err != nil {
				return err
			}
			emails = append(emails, email)
		}
		return rows.Err()
	}
	if query.Offset < waiting {
		var values arguments
		err := read(policy.waiting(&values)+`ORDER BY a.email LIMIT `+values.add(query.Limit)+` OFFSET `+values.add(query.Offset), values)
		if err != nil {
			return nil, 0, err
		}
	}
	if query.Waiting {
		return emails, waiting, nil
	}
	const unseen = `FROM account_grant g WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.email = g.email)`
	err = s.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM (SELECT email FROM account WHERE email <> '' GROUP BY email) seen) + (SELECT count(*) `+unseen+`)`).Scan(&total)
	if err != nil || len(emails) == query.Limit {
		return emails, total, err
	}
	var values arguments
	err = read(`SELECT a.email AS email FROM account a WHERE a.email <> '' GROUP BY a.email HAVING max(a.disabled_as) <> ''
			OR `+policy.enables(&values, "a.email")+` OR EXISTS (SELECT 1 FROM account_grant g WHERE g.email = a.email)
		UNION ALL SELECT g.email `+unseen+` ORDER BY email
		LIMIT `+values.add(query.Limit-len(emails))+` OFFSET `+values.add(max(0, query.Offset-waiting)), values)
	return emails, total, err
}

// fromPeople returns the beginning of a query with the table "judged" of the people that match.
func fromPeople(values *arguments, policy Policy, query PeopleQuery) string {
	match := func(email, name string) string {
		if len(query.emails) > 0 {
			places := make([]string, len(query.emails))
			for i, one := range query.emails {
				places[i] = values.add(one)
			}
			return ` AND ` + email + ` IN (` + strings.Join(places, `, `) + `)`
		}
		wanted := strings.TrimSpace(query.Search)
		if wanted == "" {
			return ``
		}
		lower := values.add("%" + likeSigns.Replace(strings.ToLower(wanted)) + "%")
		condition := email + ` LIKE ` + lower + ` ESCAPE '\'`
		if name != "" { // SQLite knows upper and lower case of ASCII alone
			condition += ` OR ` + name + ` LIKE ` + values.add("%"+likeSigns.Replace(wanted)+"%") + ` ESCAPE '\' OR lower(` + name + `) LIKE ` + lower + ` ESCAPE '\'`
		}
		return ` AND (` + condition + `)`
	}
	seen, unseen := match("a.email", "a.name"), match("g.email", "")
	waiting := `enabled IS NULL AND disabled_as = '' AND NOT by_policy AND seen > 0`
	only := ``
	if query.Waiting {
		only = ` WHERE ` + waiting
	}
	return `WITH people AS (
			SELECT a.email, max(a.name) AS name, min(a.created_at) AS seen, max(a.disabled_as) AS disabled_as, g.enabled, g.role
			FROM account a LEFT JOIN account_grant g ON g.email = a.email WHERE a.email <> ''` + seen + ` GROUP BY a.email, g.enabled, g.role
			UNION ALL
			SELECT g.email, '', 0, '', g.enabled, g.role FROM account_grant g
			WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.email = g.email)` + unseen + `
		), known AS (SELECT people.*, ` + policy.enables(values, "email") + ` AS by_policy FROM people
		), judged AS (SELECT known.*, CASE WHEN ` + waiting + ` THEN 1 ELSE 0 END AS waiting FROM known` + only + `)`
}

// PeopleCount is how many people there are.
type PeopleCount struct {
	All     int // with an account
	Waiting int // to be enabled
	Today   int // with a valid token in the last 24 hours
	Week    int // likewise in the last seven days
}

// CountWaiting returns how many people wait to be enabled.
func (s *Store) CountWaiting(ctx context.Context, policy Policy) (count int, err error) {
	if policy.Auto {
		return 0, nil
	}
	var values arguments
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM (`+policy.waiting(&values)+`) waiting`, values...).Scan(&count)
	return count, err
}

// CountPeople returns how many people there are. Times of tokens are right to a minute.
func (s *Store) CountPeople(ctx context.Context, policy Policy) (count PeopleCount, err error) {
	if count.Waiting, err = s.CountWaiting(ctx, policy); err != nil {
		return count, err
	}
	since := func(length time.Duration) int64 { return sqldb.Micros(s.db.Now().Add(-length)) }
	err = s.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(CASE WHEN seen_at > $1 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN seen_at > $2 THEN 1 ELSE 0 END), 0)
		FROM account WHERE guest_until = 0`, since(24*time.Hour), since(7*24*time.Hour)).Scan(&count.All, &count.Today, &count.Week)
	return count, err
}

// decideOne writes a decision. What it leaves open stays as an earlier decision, also one about a former e-mail of a
// disabled account, or the policy has it.
func (s *Store) decideOne(ctx context.Context, email string, decision Decision, byPolicy bool) (person Person, err error) {
	err = s.writeAccounts(ctx, func(tx *sqldb.Tx) error {
		person = Person{Email: email, Enabled: byPolicy, Role: RoleUser, Decided: true}
		err := tx.QueryRowContext(ctx, `SELECT enabled, role FROM account_grant WHERE email = $1`, email).Scan(&person.Enabled, &person.Role)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var disabled bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM account WHERE email = $1 AND disabled_as <> '')`, email).Scan(&disabled)
		if err != nil {
			return err
		}
		person.Enabled = person.Enabled && !disabled
		before := Grant{Email: email, Enabled: person.Enabled, Role: person.Role}
		if decision.Enabled != nil {
			person.Enabled = *decision.Enabled
		}
		if decision.Role != nil {
			person.Role = *decision.Role
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO account_grant (email, enabled, role, updated_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (email) DO UPDATE SET enabled = excluded.enabled, role = excluded.role, updated_at = excluded.updated_at`,
			email, person.Enabled, person.Role, sqldb.Micros(tx.Now))
		if err == nil {
			err = enable(ctx, tx, Grant{Email: email, Enabled: person.Enabled})
		}
		if err == nil {
			err = recordDecision(ctx, tx, before, Grant{Email: email, Enabled: person.Enabled, Role: person.Role})
		}
		if err != nil {
			return err
		}
		var seen sql.NullInt64
		err = tx.QueryRowContext(ctx, `SELECT min(created_at), coalesce(max(name), '') FROM account WHERE email = $1`, email).
			Scan(&seen, &person.Name)
		if seen.Valid {
			at := sqldb.Time(seen.Int64)
			person.SeenAt = &at
		}
		return err
	})
	return person, err
}

func (s *Store) accounts(ctx context.Context, ids []string) ([]Account, error) {
	var result []Account
	err := sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, selectAccount+` WHERE a.id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			account, err := scanAccount(rows)
			if err != nil {
				return err
			}
			result = append(result, account)
		}
		return rows.Err()
	})
	return result, err
}
