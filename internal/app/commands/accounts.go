package commands

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
)

// AccountChange is a change that operators make to accounts at the command line.
type AccountChange string

// The changes.
const (
	EnableAccount  AccountChange = "enable"
	DisableAccount AccountChange = "disable"
	PromoteAccount AccountChange = "promote" // to an operator; enables it too
	DemoteAccount  AccountChange = "demote"  // to an ordinary account
)

func (c AccountChange) decision() identity.Decision {
	yes, no, operator, user := true, false, identity.RoleOperator, identity.RoleUser
	return map[AccountChange]identity.Decision{
		EnableAccount: {Enabled: &yes}, DisableAccount: {Enabled: &no},
		PromoteAccount: {Enabled: &yes, Role: &operator}, DemoteAccount: {Role: &user},
	}[c]
}

// ChangeAccounts changes accounts, including those that never signed in, and prints their new state. A running server
// notices within seconds.
func ChangeAccounts(ctx context.Context, settings config.Config, change AccountChange, emails []string, out io.Writer) error {
	return withAccounts(ctx, settings, func(accounts *identity.Service) error {
		for _, email := range emails {
			person, err := accounts.Decide(ctx, email, change.decision())
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s: %s\n", person.Email, describe(person)); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListAccounts prints a table of accounts: first those that wait for a decision, or only those.
func ListAccounts(ctx context.Context, settings config.Config, waitingOnly bool, out io.Writer) error {
	return withAccounts(ctx, settings, func(accounts *identity.Service) error {
		people, _, err := accounts.People(ctx, identity.PeopleQuery{Waiting: waitingOnly})
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, person := range people {
			seen := "not seen yet"
			if person.SeenAt != nil {
				seen = "since " + person.SeenAt.Format("2006-01-02")
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", person.Email, describe(person), seen, person.Name)
		}
		return table.Flush()
	})
}

func describe(person identity.Person) string {
	switch {
	case person.Waiting():
		return "waits to be enabled"
	case !person.Enabled:
		return "not enabled"
	case person.Role == identity.RoleOperator:
		return "enabled, operator"
	}
	return "enabled"
}

func withAccounts(ctx context.Context, settings config.Config, work func(*identity.Service) error) error {
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		return work(identity.NewService(identity.NewStore(db), nil, settings.AccountPolicy()))
	})
}
