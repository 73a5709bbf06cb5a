package identity

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
)

// Person is an e-mail that operators see and decide about: one that signed in, one with an earlier decision, or both.
type Person struct {
	Email   string     `json:"email"`
	Name    string     `json:"name"`
	Enabled bool       `json:"enabled" doc:"May start sessions"`
	Role    string     `json:"role" enum:"user,operator"`
	Decided bool       `json:"decided" doc:"By an operator; else the policy of this server says whether it is enabled"`
	SeenAt  *time.Time `json:"seenAt,omitempty" doc:"First sign-in"`
}

// Waiting reports whether somebody signed in and nobody has decided about them yet.
func (p Person) Waiting() bool { return !p.Decided && !p.Enabled && p.SeenAt != nil }

// Decision changes an account; nil leaves a field unchanged.
type Decision struct {
	Enabled *bool
	Role    *string
}

// ManagesAccounts reports whether the caller may see and decide about accounts: operators may.
func (c Caller) ManagesAccounts() bool { return c.Operator }

// People returns the people whom operators can decide about: first those who wait, then by e-mail; and the number of all
// that match.
func (s *Service) People(ctx context.Context, query PeopleQuery) ([]Person, int, error) {
	return s.store.People(ctx, s.policy, query)
}

// CountPeople returns how many people there are.
func (s *Service) CountPeople(ctx context.Context) (PeopleCount, error) {
	return s.store.CountPeople(ctx, s.policy)
}

// Decide changes an account, even one that never signed in. It is for operators, and for the command line, where there
// is no caller. It returns Conflict when operators would lock themselves out.
func (s *Service) Decide(ctx context.Context, email string, decision Decision) (Person, error) {
	email = NormalizeEmail(email)
	if !ValidEmail(email) {
		return Person{}, fault.InvalidField("path.email", "%q isn't an e-mail address. Write it like name@example.org.", email)
	}
	if decision.Role != nil && *decision.Role != RoleUser && *decision.Role != RoleOperator {
		return Person{}, fault.InvalidField("body.role", "The role must be %s or %s.", RoleUser, RoleOperator)
	}
	caller, signedIn := From(ctx)
	gone := (decision.Enabled != nil && !*decision.Enabled) || (decision.Role != nil && *decision.Role != RoleOperator)
	if signedIn && caller.Email == email && gone {
		return Person{}, fault.New(fault.Conflict, "You can't remove your own operator role. Ask another operator, or use cairn accounts on the server.")
	}
	return s.store.decideOne(ctx, email, decision, s.policy.enabled(Account{Email: email}))
}

// EnabledAccounts reports which accounts may start and keep sessions; unknown ids are left out.
func (s *Service) EnabledAccounts(ctx context.Context, ids []string) (map[string]bool, error) {
	accounts, err := s.store.accounts(ctx, ids)
	if err != nil {
		return nil, err
	}
	enabled := make(map[string]bool, len(accounts))
	for _, account := range accounts {
		enabled[account.ID] = s.caller(account).Enabled
	}
	return enabled, nil
}

// Callers returns accounts by their ids; unknown ids are left out. They come without a sign-in.
func (s *Service) Callers(ctx context.Context, ids []string) (map[string]Caller, error) {
	accounts, err := s.store.accounts(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Caller, len(accounts))
	for _, account := range accounts {
		found[account.ID] = s.caller(account)
	}
	return found, nil
}
