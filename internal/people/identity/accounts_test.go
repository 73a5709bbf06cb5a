package identity_test

import (
	"context"
	"sync"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

func TestAccountsAreKeptByIssuerAndSubject(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, store := t.Context(), identity.NewStore(db)
		see := func(issuer, subject, email, name string) identity.Account {
			t.Helper()
			account, err := store.See(ctx, issuer, subject, email, name)
			if err != nil {
				t.Fatal(err)
			}
			return account
		}
		first := see("https://a", "1", "ada@example.org", "Ada")
		if again := see("https://a", "1", "ada@example.org", "Ada"); again.ID != first.ID {
			t.Error("the same subject got a second account")
		}
		if other := see("https://b", "1", "ada@example.org", "Ada"); other.ID == first.ID {
			t.Error("the same subject of another issuer got the same account")
		}
		moved := see("https://a", "1", "new@example.org", "Ada Lovelace")
		if moved.ID != first.ID || moved.Email != "new@example.org" || moved.Name != "Ada Lovelace" {
			t.Errorf("got %+v, want the account with its new e-mail and name", moved)
		}
		stored, err := store.Account(ctx, first.ID)
		if err != nil || stored.Email != "new@example.org" {
			t.Errorf("stored %+v, %v", stored, err)
		}
		if _, err := store.Account(ctx, "unknown"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("got %v, want NotFound", err)
		}
	})
}

func TestFirstSightByManyAtOnceMakesOneAccount(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := identity.NewStore(db)
		ids := make([]string, 8)
		var callers sync.WaitGroup
		for i := range ids {
			callers.Go(func() {
				account, err := store.See(t.Context(), "https://a", "1", "ada@example.org", "Ada")
				if err != nil {
					t.Error(err)
				}
				ids[i] = account.ID
			})
		}
		callers.Wait()
		for _, id := range ids {
			if id == "" || id != ids[0] {
				t.Fatalf("got %v, want one account", ids)
			}
		}
	})
}

func TestDecisionsOfOperators(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, store := t.Context(), identity.NewStore(db)
		decide := func(email string, enabled, keep bool) {
			t.Helper()
			if err := store.Decide(ctx, []identity.Grant{{Email: email, Enabled: enabled, Role: identity.RoleUser}}, keep); err != nil {
				t.Fatal(err)
			}
		}
		decide(" Ada@Example.org", true, false)
		account, err := store.See(ctx, "https://a", "1", "ada@example.org", "Ada")
		if err != nil || account.Grant == nil || !account.Grant.Enabled {
			t.Fatalf("the decision made before the first sign-in is lost: %+v, %v", account, err)
		}
		decide("ada@example.org", false, true)
		if account, _ = store.Account(ctx, account.ID); !account.Grant.Enabled {
			t.Error("keep replaced an earlier decision")
		}
		decide("ada@example.org", false, false)
		if account, _ = store.Account(ctx, account.ID); account.Grant.Enabled {
			t.Error("a new decision did not replace the earlier one")
		}
		decide("", true, false)
		nobody, err := store.See(ctx, "https://a", "2", "", "Without e-mail")
		if err != nil || nobody.Grant != nil {
			t.Errorf("an account without e-mail has the grant %+v (%v)", nobody.Grant, err)
		}
	})
}

// GHSA-7cc2-r658-7xpf, CVE-2026-111927: domains were compared by suffix or prefix.
func TestDomainsOfThePolicyAreComparedWhole(t *testing.T) {
	t.Parallel()
	policy := identity.Policy{Domains: []string{"example.org"}}
	for email, want := range map[string]bool{
		"ada@example.org": true, "ADA@EXAMPLE.ORG": true,
		"ada@evil-example.org": false, "ada@sub.example.org": false, "ada@example.org.evil": false, "ada@example.orgs": false,
		"example.org": false, "ada@evil@example.org": false, "ada@example.com": false, "": false,
	} {
		if caller := callerWith(t, policy, email); caller.Enabled != want {
			t.Errorf("%q: enabled %v, want %v", email, caller.Enabled, want)
		}
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	if callerWith(t, identity.Policy{}, "ada@example.org").Enabled {
		t.Error("manual: enabled without a decision")
	}
	if !callerWith(t, identity.Policy{Auto: true}, "ada@example.org").Enabled {
		t.Error("auto: not enabled")
	}
	disabled := identity.Grant{Email: "ada@example.org", Enabled: false, Role: identity.RoleOperator}
	if caller := callerWith(t, identity.Policy{Auto: true}, "ada@example.org", disabled); caller.Enabled || caller.Operator {
		t.Errorf("a decision against somebody does not count before the policy: %+v", caller)
	}
	operator := identity.Grant{Email: "ada@example.org", Enabled: true, Role: identity.RoleOperator}
	if caller := callerWith(t, identity.Policy{}, "ada@example.org", operator); !caller.Enabled || !caller.Operator {
		t.Errorf("got %+v, want an enabled operator", caller)
	}
}

// callerWith signs somebody in under a policy.
func callerWith(t *testing.T, policy identity.Policy, email string, grants ...identity.Grant) identity.Caller {
	t.Helper()
	key := ecdsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	store := identity.NewStore(sqldbtest.SQLite(t, w.clock.Now))
	if err := store.Decide(t.Context(), grants, false); err != nil {
		t.Fatal(err)
	}
	verifier := identity.NewVerifier(identity.VerifierOptions{
		Issuer: w.provider.server.URL, ClientID: clientID, Client: w.provider.server.Client(), Now: w.clock.Now,
	})
	service := identity.NewService(store, verifier, policy)
	signedIn, err := service.Identify(context.Background(), key.sign(t, w.claims("email", email)))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := service.Account(context.Background(), signedIn.AccountID)
	if err != nil || stored.Enabled != signedIn.Enabled || stored.Operator != signedIn.Operator {
		t.Errorf("by id %+v (%v), by token %+v", stored, err, signedIn)
	}
	return signedIn
}
