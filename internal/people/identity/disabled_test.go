package identity_test

import (
	"testing"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

// disabledWorld is somebody whom an operator disabled as old@example.org, and two services on one database.
type disabledWorld struct {
	*testing.T
	stores   [2]*identity.Store
	services [2]*identity.Service
}

func eachDisabled(t *testing.T, test func(w *disabledWorld)) {
	t.Helper()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for name, policy := range map[string]identity.Policy{
			"auto": {Auto: true}, "domains": {Domains: []string{"example.org", "example.com"}},
		} {
			if err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
				_, err := tx.ExecContext(t.Context(), `DELETE FROM account; DELETE FROM account_grant`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			t.Run(name, func(t *testing.T) {
				w := &disabledWorld{T: t}
				for i := range w.services {
					w.stores[i] = identity.NewStore(db)
					w.services[i] = identity.NewService(w.stores[i], nil, policy)
				}
				w.see(0, "old@example.org")
				w.decide("old@example.org", false)
				test(w)
			})
		}
	})
}

// see has a service see a token of the person with an e-mail; "none" is a token that names none.
func (w *disabledWorld) see(service int, email string) identity.Account {
	w.Helper()
	see := func() (identity.Account, error) {
		return w.stores[service].See(w.Context(), "https://a", "1", email, "Ada")
	}
	if email == "none" {
		see = func() (identity.Account, error) {
			return w.stores[service].SeeWithoutEmail(w.Context(), "https://a", "1", "Ada")
		}
	}
	account, err := see()
	if err != nil {
		w.Fatal(err)
	}
	return account
}

func (w *disabledWorld) decide(email string, enabled bool) identity.Person {
	w.Helper()
	person, err := w.services[0].Decide(w.Context(), email, identity.Decision{Enabled: &enabled})
	if err != nil {
		w.Fatal(err)
	}
	return person
}

// wantEnabled has both services see a token with an e-mail, and look the account up.
func (w *disabledWorld) wantEnabled(email string, want bool) {
	w.Helper()
	for i, service := range w.services {
		account := w.see(i, email)
		if got := service.CallerOf(account); got.Enabled != want || (!want && got.Operator) {
			w.Errorf("service %d: with e-mail %q: %+v, want enabled %v", i, email, got, want)
		}
		stored, err := service.Account(w.Context(), account.ID)
		if err != nil || stored.Enabled != want {
			w.Errorf("service %d: stored with e-mail %q: %+v, %v, want enabled %v", i, email, stored, err, want)
		}
	}
}

func (w *disabledWorld) person(email string) identity.Person {
	w.Helper()
	people, _, err := w.services[1].People(w.Context(), identity.PeopleQuery{})
	if err != nil {
		w.Fatal(err)
	}
	for _, person := range people {
		if person.Email == email {
			return person
		}
	}
	w.Fatalf("%q is not listed in %+v", email, people)
	return identity.Person{}
}

func TestDisabledPeopleStaySoWhateverEmailTheyHave(t *testing.T) {
	t.Parallel()
	eachDisabled(t, func(w *disabledWorld) {
		w.wantEnabled("none", false)
		for _, email := range []string{"new@example.com", "", "third@example.org", "none", "old@example.org", "new@example.com"} {
			w.wantEnabled(email, false)
		}
		if person := w.person("new@example.com"); person.Enabled || !person.Decided || person.Waiting() || person.Role != identity.RoleUser {
			w.Errorf("operators see %+v, want somebody disabled", person)
		}
	})
}

func TestADecisionAboutEitherEmailEnablesAgain(t *testing.T) {
	t.Parallel()
	eachDisabled(t, func(w *disabledWorld) {
		w.wantEnabled("new@example.com", false)
		if person := w.decide("new@example.com", true); !person.Enabled {
			w.Errorf("got %+v", person)
		}
		w.wantEnabled("new@example.com", true)
		if person := w.person("new@example.com"); !person.Enabled || !person.Decided {
			w.Errorf("operators see %+v", person)
		}
		w.wantEnabled("old@example.org", false) // nobody decided about that one again
		w.wantEnabled("third@example.org", false)
		w.decide("old@example.org", true)
		w.wantEnabled("third@example.org", true)
	})
}

// An earlier decision for the new e-mail, or another one's role, doesn't enable who was disabled.
func TestOtherDecisionsLeaveDisabledPeopleDisabled(t *testing.T) {
	t.Parallel()
	eachDisabled(t, func(w *disabledWorld) {
		operator := identity.RoleOperator
		if err := w.stores[1].Decide(w.Context(), []identity.Grant{{Email: "new@example.com", Enabled: true, Role: operator}}, false); err != nil {
			w.Fatal(err)
		}
		w.wantEnabled("new@example.com", false)
		if person := w.person("new@example.com"); person.Enabled {
			w.Errorf("operators see %+v", person)
		}
		promoted, err := w.services[1].Decide(w.Context(), "new@example.com", identity.Decision{Role: &operator})
		if err != nil || promoted.Enabled {
			w.Errorf("got %+v, %v", promoted, err)
		}
		w.wantEnabled("new@example.com", false)
		grant := []identity.Grant{{Email: "NEW@example.com", Enabled: true, Role: operator}}
		if err := w.stores[1].Decide(w.Context(), grant, true); err != nil { // keeps the decision that is there
			w.Fatal(err)
		}
		w.wantEnabled("new@example.com", false)
		if err := w.stores[1].Decide(w.Context(), grant, false); err != nil {
			w.Fatal(err)
		}
		w.wantEnabled("new@example.com", true)
	})
}
