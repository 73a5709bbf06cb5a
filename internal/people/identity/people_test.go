package identity_test

import (
	"reflect"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

func TestPeopleAreThoseWhoWereSeenOrDecidedAbout(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, store := t.Context(), identity.NewStore(db)
		service := identity.NewService(store, nil, identity.Policy{Domains: []string{"institution.example"}})
		yes, no, operator := true, false, identity.RoleOperator
		for _, email := range []string{"zoe@example.org", "ada@institution.example", "bob@example.org"} {
			if _, err := store.See(ctx, "https://a", email, email, "Name of "+email); err != nil {
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
		for size := 1; size <= len(want)+1; size++ { // pages of any size are the same list
			var paged []identity.Person
			for offset := 0; offset < len(want)+size; offset += size {
				page, total, err := service.People(ctx, identity.PeopleQuery{Offset: offset, Limit: size})
				if err != nil || total != len(want) {
					t.Fatalf("a page at %d of %d: %d in all, %v", offset, size, total, err)
				}
				paged = append(paged, page...)
			}
			if !reflect.DeepEqual(paged, people) {
				t.Errorf("in pages of %d: %+v, want %+v", size, paged, people)
			}
		}
		for name, c := range map[string]struct {
			query identity.PeopleQuery
			want  int
		}{
			"who waits":              {identity.PeopleQuery{Waiting: true, Limit: 10}, 1},
			"who waits, beyond":      {identity.PeopleQuery{Waiting: true, Limit: 10, Offset: 10}, 0},
			"a part of the e-mail":   {identity.PeopleQuery{Search: " @EXAMPLE.org", Limit: 10}, 3},
			"of those who wait":      {identity.PeopleQuery{Search: "o", Waiting: true, Limit: 10}, 1},
			"a part of the name":     {identity.PeopleQuery{Search: "name of zoe", Limit: 10}, 1},
			"never seen":             {identity.PeopleQuery{Search: "first@", Limit: 10}, 1},
			"a sign of LIKE":         {identity.PeopleQuery{Search: "z%e", Limit: 10}, 0},
			"a search, second page":  {identity.PeopleQuery{Search: "example", Limit: 3, Offset: 3}, 1},
			"a search, beyond pages": {identity.PeopleQuery{Search: "example", Limit: 3, Offset: 30}, 0},
		} {
			found, total, err := service.People(ctx, c.query)
			if err != nil || len(found) != c.want || (c.query.Offset == 0 && total != c.want) {
				t.Errorf("%s: %+v of %d, %v; want %d", name, found, total, err, c.want)
			}
			if c.query.Offset > 0 && c.query.Search != "" && total != 4 {
				t.Errorf("%s: %d in all", name, total)
			}
		}
		count, err := service.CountPeople(ctx)
		if want := (identity.PeopleCount{All: 3, Waiting: 1, Today: 3, Week: 3}); err != nil || count != want {
			t.Errorf("%+v, %v", count, err)
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
