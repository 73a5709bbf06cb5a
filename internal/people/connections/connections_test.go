package connections_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/secrets"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/connections"
	"cairn/internal/people/identity"
)

func TestAConnectionIsKeptOnceItsRightsWereShown(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		ada := w.as("ada")
		waiting, err := w.server.AddToken(ada, "gitlab", " "+canary+"\n")
		if err != nil || waiting.KeptAt != nil || waiting.Account != "ada" || !slices.Equal(waiting.Granted, []connections.Right{connections.RightWrite, connections.RightRead}) {
			t.Fatalf("%+v %v", waiting, err)
		}
		if _, err := w.server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.NotConnected {
			t.Errorf("a token that nobody kept: %v", err)
		}
		kept, err := w.server.Keep(ada, "gitlab")
		if err != nil || kept.KeptAt == nil {
			t.Fatalf("%+v %v", kept, err)
		}
		if token, err := w.server.Token(ada, idOf(ada), "gitlab"); token != canary || err != nil {
			t.Errorf("%q %v", token, err)
		}
		bob := w.as("bob")
		if _, err := w.server.Token(bob, idOf(bob), "gitlab"); fault.CodeOf(err) != fault.NotConnected {
			t.Errorf("another account's: %v", err)
		}
		list, err := w.server.List(ada)
		if err != nil || len(list) != 2 || list[0].Connection == nil || list[0].Waiting != nil || list[1].Connection != nil || !list[0].OAuth || list[1].OAuth {
			t.Errorf("%+v %v", list, err)
		}
		if text, _ := json.Marshal(list); strings.Contains(string(text), canary) {
			t.Errorf("an answer has the token: %s", text)
		}
		if found := w.dump(); strings.Contains(found, canary) {
			t.Error("the database or the log has the token")
		}
		if revoked, err := w.server.Remove(ada, "gitlab"); err != nil || revoked || len(w.service.revoked) != 0 {
			t.Errorf("a pasted token is its owner's: %v %v %q", revoked, err, w.service.revoked)
		}
		if _, err := w.server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.NotConnected {
			t.Errorf("after disconnecting: %v", err)
		}
	})
}

func TestWhatNobodyKeepsIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada := w.as("ada")
	if _, err := w.server.AddToken(ada, "gitlab", canary); err != nil {
		t.Fatal(err)
	}
	w.pass(11 * time.Minute)
	if _, err := w.server.Keep(ada, "gitlab"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("kept after eleven minutes: %v", err)
	}
	if list, err := w.server.List(ada); err != nil || list[0].Waiting != nil {
		t.Errorf("%+v %v", list, err)
	}
	if err := w.server.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := w.db.QueryRowContext(t.Context(), `SELECT count(*) FROM connection`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows are left: %v", rows, err)
	}
}

func TestOAuth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada, bob := w.as("ada"), w.as("bob")
	begin := func() (code, state string) {
		t.Helper()
		address, err := w.server.Begin(ada, "gitlab")
		if err != nil {
			t.Fatal(err)
		}
		return w.service.authorize(t, address)
	}
	code, state := begin()
	if _, err := w.server.Finish(bob, "gitlab", code, state); fault.KindOf(err) != fault.Invalid {
		t.Errorf("another account finishes what somebody began: %v", err)
	}
	if _, err := w.server.Finish(ada, "gitlab", code, state); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a state is used twice: %v", err)
	}
	code, state = begin()
	if _, err := w.server.Finish(ada, "git", code, state); fault.KindOf(err) != fault.Invalid {
		t.Errorf("at another host: %v", err)
	}
	code, state = begin()
	w.pass(11 * time.Minute)
	if _, err := w.server.Finish(ada, "gitlab", code, state); fault.KindOf(err) != fault.Invalid {
		t.Errorf("eleven minutes later: %v", err)
	}
	_, state = begin()
	if _, err := w.server.Finish(ada, "gitlab", "of nobody", state); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "secret-of-the-client") {
		t.Errorf("a code that the host didn't issue: %v", err)
	}
	code, state = begin()
	waiting, err := w.server.Finish(ada, "gitlab", code, state)
	if err != nil || waiting.Way != connections.WayOAuth {
		t.Fatalf("%+v %v", waiting, err)
	}
	if _, err := w.server.Finish(ada, "gitlab", code, state); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a code exchange is repeated: %v", err)
	}
	if _, err := w.server.Keep(ada, "gitlab"); err != nil {
		t.Fatal(err)
	}
	if revoked, err := w.server.Remove(ada, "gitlab"); err != nil || !revoked || !slices.Equal(w.service.revoked, []string{canary + "-1"}) {
		t.Errorf("revoked %v %q: %v", revoked, w.service.revoked, err)
	}
	if found := w.dump(); strings.Contains(found, canary) {
		t.Error("the database or the log has the token")
	}
}

// Two servers and many requests find an expired token at once, and the host takes the refresh token once.
func TestTokensAreRefreshedByOneServer(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		ada := w.as("ada")
		w.connect(ada)
		w.pass(2 * time.Hour)
		servers := []*connections.Connections{w.server, w.another()}
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				if token, err := servers[i%2].Token(t.Context(), idOf(ada), "gitlab"); err != nil || token != canary+"-2" {
					t.Errorf("%q %v", token, err)
				}
			})
		}
		group.Wait()
		if w.service.issued != 2 {
			t.Errorf("%d tokens were issued, want 2", w.service.issued)
		}
	})
}

func TestAHostThatIsDownLosesNoConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada := w.as("ada")
	w.connect(ada)
	w.pass(2 * time.Hour)
	w.service.down = true
	if _, err := w.server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.CodehostUnavailable {
		t.Errorf("while it is down: %v", err)
	}
	w.service.down = false
	if token, err := w.server.Token(ada, idOf(ada), "gitlab"); token != canary+"-2" || err != nil {
		t.Errorf("%q %v", token, err)
	}
	w.service.refresh = map[string]bool{} // the owner took it back there
	w.pass(2 * time.Hour)
	for range 2 {
		if _, err := w.server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.NotConnected || strings.Contains(err.Error(), canary) {
			t.Errorf("taken back: %v", err)
		}
	}
	if list, err := w.server.List(ada); err != nil || list[0].Connection.Problem != connections.ProblemRefused {
		t.Errorf("%+v %v", list, err)
	}
	w.connect(ada)
	if list, err := w.server.List(ada); err != nil || list[0].Connection.Problem != "" {
		t.Errorf("connected again: %+v %v", list, err)
	}
	if strings.Contains(w.log.String(), canary) {
		t.Errorf("the log has a token: %s", w.log)
	}
}

func TestWithoutTheKeyPeopleConnectAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada := w.as("ada")
	w.connect(ada)
	other, err := secrets.OpenOrMake(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]*secrets.Keys{"another key": other, "no key": nil} {
		w.options.Keys = keys
		server := w.another()
		if _, err := server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.NotConnected {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := server.List(ada); err != nil || list[0].Connection.Problem != connections.ProblemKey {
			t.Errorf("%s: %+v %v", name, list, err)
		}
	}
	w.options.Keys = nil
	if _, err := w.another().AddToken(ada, "gitlab", canary); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a token without a key: %v", err)
	}
	// With two keys, what the old one has encrypted is encrypted with the new one when it is used.
	first, second := filepath.Join(t.TempDir(), "first"), w.keyFile
	if _, err := secrets.OpenOrMake(first); err != nil {
		t.Fatal(err)
	}
	newest, _ := os.ReadFile(first)
	oldest, _ := os.ReadFile(second)
	if err := os.WriteFile(second, append(newest, oldest...), 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := secrets.Open(second)
	if err != nil {
		t.Fatal(err)
	}
	w.options.Keys = both
	if token, err := w.another().Token(ada, idOf(ada), "gitlab"); token != canary+"-1" || err != nil {
		t.Fatalf("%q %v", token, err)
	}
	if w.options.Keys, err = secrets.Open(first); err != nil {
		t.Fatal(err)
	}
	if token, err := w.another().Token(ada, idOf(ada), "gitlab"); token != canary+"-1" || err != nil {
		t.Errorf("with the new key alone: %q %v", token, err)
	}
}

func TestDisabledAccountsLoseTheirConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada, bob := w.as("ada"), w.as("bob")
	w.connect(ada)
	w.connect(bob)
	if err := w.accounts.Decide(t.Context(), []identity.Grant{{Email: "ada@example.org", Enabled: false, Role: identity.RoleUser}}, false); err != nil {
		t.Fatal(err)
	}
	if err := w.server.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.NotConnected {
		t.Errorf("ada: %v", err)
	}
	if _, err := w.server.Token(bob, idOf(bob), "gitlab"); err != nil {
		t.Errorf("bob: %v", err)
	}
	if !slices.Equal(w.service.revoked, []string{canary + "-1"}) {
		t.Errorf("revoked: %q", w.service.revoked)
	}
}

func TestWhoMayConnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada := w.as("ada")
	caller, _ := identity.From(ada)
	for name, change := range map[string]func(*identity.Caller){
		"waiting": func(c *identity.Caller) { c.Enabled = false }, "disabled": func(c *identity.Caller) { c.Enabled, c.Disabled = false, true },
		"without an address": func(c *identity.Caller) { c.Email = "" },
	} {
		changed := caller
		change(&changed)
		if _, err := w.server.AddToken(identity.With(t.Context(), changed), "gitlab", canary); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.server.AddToken(ada, "nowhere", canary); fault.KindOf(err) != fault.NotFound {
		t.Errorf("nowhere: %v", err)
	}
	if _, err := w.server.Begin(ada, "git"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("OAuth with git: %v", err)
	}
	for _, token := range []string{"", "two words", "two\nlines", "\x00", strings.Repeat("x", 5000)} {
		if _, err := w.server.AddToken(ada, "gitlab", token); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.10q: %v", token, err)
		}
	}
	var last error
	for range 30 {
		if _, last = w.server.AddToken(ada, "gitlab", "bad"); fault.KindOf(last) == fault.TooMany {
			break
		}
	}
	if fault.KindOf(last) != fault.TooMany {
		t.Errorf("thirty tokens that are refused: %v", last)
	}
}

func TestATokenThatTheHostRefusesIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	ada := w.as("ada")
	w.connect(ada)
	w.server.Refused(t.Context(), idOf(ada), "gitlab", "an older one")
	if _, err := w.server.Token(ada, idOf(ada), "gitlab"); err != nil {
		t.Errorf("an older token was refused: %v", err)
	}
	w.server.Refused(t.Context(), idOf(ada), "gitlab", canary+"-1")
	if _, err := w.server.Token(ada, idOf(ada), "gitlab"); fault.CodeOf(err) != fault.NotConnected {
		t.Errorf("the token was refused: %v", err)
	}
}
