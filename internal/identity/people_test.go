package identity_test

import (
	"testing"

	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sqldb"
	"cairn/internal/sqldb/sqldbtest"
)

func TestPeopleAreThoseWhoWereSeenOrDecidedAbout(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, store := t.Context(), identity.NewStore(db)
		service := identity.NewService(store, nil, identity.Policy{Domains: []string{"institution.example"}})
		yes, no, operator := true, false, identity.RoleOperator
		for _, email := range []string{"zoe@example.org", "ada@institution.example", "bob@example.org"} {
			if _, err := store.See(ctx, "https://a", email, email, ""); err != nil {
				t.Fatal(err)
			}
		}
		decide := func(email string, decision identity.Decision) identity.Person {
			t.Helper()
			person, err := service.Decide(ctx, email, decision)
			if err != nil {
				t.Fatal(err)
			}
			return person
		}
		decide("BOB@example.org", identity.Decision{Enabled: &no})
		unseen := decide("first@example.org", identity.Decision{Enabled: &yes, Role: &operator})
		if !unseen.Enabled || unseen.Role != identity.RoleOperator || unseen.SeenAt != nil {
			t.Errorf("got %+v", unseen)
		}

		people, total, err := service.People(ctx, identity.PeopleQuery{})
		if err != nil {
			t.Fatal(err)
		}
		want := []struct {
			email            string
			enabled, waiting bool
		}{
			{"zoe@example.org", false, true}, // those who wait come first
			{"ada@institution.example", true, false},
			{"bob@example.org", false, false},
			{"first@example.org", true, false},
		}
		if len(people) != len(want) || total != len(want) {
			t.Fatalf("got %+v of %d", people, total)
		}
		for i, person := range people {
			if person.Email != want[i].email || person.Enabled != want[i].enabled || person.Waiting() != want[i].waiting {
				t.Errorf("%d: got %+v, want %+v", i, person, want[i])
			}
		}
	})
}

func TestDecisionLeavesTheRestAsItIs(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		service := identity.NewService(identity.NewStore(db), nil, identity.Policy{Domains: []string{"institution.example"}})
		no, operator, user, strange := false, identity.RoleOperator, identity.RoleUser, "root"
		promoted, err := service.Decide(ctx, "ada@institution.example", identity.Decision{Role: &operator})
		if err != nil || !promoted.Enabled {
			t.Errorf("promoting took away what the policy gave: %+v, %v", promoted, err)
		}
		disabled, err := service.Decide(ctx, "ada@institution.example", identity.Decision{Enabled: &no})
		if err != nil || disabled.Enabled || disabled.Role != operator {
			t.Errorf("got %+v, %v", disabled, err)
		}
		for email, decision := range map[string]identity.Decision{"no e-mail": {Role: &user}, "ada@institution.example": {Role: &strange}} {
			if _, err := service.Decide(ctx, email, decision); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: got %v, want Invalid", email, err)
			}
		}
	})
}

// A disabled operator has no rights, and an unverified e-mail carries none.
func TestOperatorsAreEnabledOperatorsWithAVerifiedEmail(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, store := t.Context(), identity.NewStore(db)
		service := identity.NewService(store, nil, identity.Policy{})
		yes, no, operator := true, false, identity.RoleOperator
		account, err := store.See(ctx, "https://a", "1", "ada@example.org", "")
		if err != nil {
			t.Fatal(err)
		}
		unverified, err := store.See(ctx, "https://a", "2", "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, enabled := range []*bool{&yes, &no} {
			if _, err := service.Decide(ctx, "ada@example.org", identity.Decision{Enabled: enabled, Role: &operator}); err != nil {
				t.Fatal(err)
			}
			caller, err := service.Account(ctx, account.ID)
			if err != nil || caller.ManagesAccounts() != *enabled || caller.Enabled != *enabled || caller.Disabled == *enabled {
				t.Errorf("enabled %v: got %+v, %v", *enabled, caller, err)
			}
		}
		if caller, err := service.Account(ctx, unverified.ID); err != nil || caller.ManagesAccounts() || caller.Enabled || caller.Disabled {
			t.Errorf("got %+v, %v", caller, err)
		}
		enabled, err := service.EnabledAccounts(ctx, []string{account.ID, unverified.ID, "unknown"})
		if err != nil || len(enabled) != 2 || enabled[account.ID] {
			t.Errorf("got %v, %v", enabled, err)
		}
	})
}
