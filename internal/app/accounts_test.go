package app_test

import (
	"bytes"
	"strings"
	"testing"

	"cairn/internal/app/commands"
	"cairn/internal/foundation/fault"
)

func TestAccountsAtTheCommandLine(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	change := func(change commands.AccountChange, emails ...string) string {
		t.Helper()
		var out bytes.Buffer
		if err := commands.ChangeAccounts(t.Context(), settings, change, emails, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	list := func(waitingOnly bool) string {
		t.Helper()
		var out bytes.Buffer
		if err := commands.ListAccounts(t.Context(), settings, waitingOnly, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	// The first operator, before anybody ever signed in and before the first start.
	if got := change(commands.PromoteAccount, "Ada@Example.org"); got != "ada@example.org: enabled, operator\n" {
		t.Errorf("got %q", got)
	}
	if got := change(commands.EnableAccount, "bob@example.org", "eve@example.org"); strings.Count(got, ": enabled\n") != 2 {
		t.Errorf("got %q", got)
	}
	if got := change(commands.DisableAccount, "eve@example.org"); got != "eve@example.org: not enabled\n" {
		t.Errorf("got %q", got)
	}
	if got := change(commands.DemoteAccount, "ada@example.org"); got != "ada@example.org: enabled\n" {
		t.Errorf("got %q", got)
	}
	if got := list(false); strings.Count(got, "\n") != 3 || !strings.Contains(got, "not seen yet") {
		t.Errorf("got %q", got)
	}
	if got := list(true); got != "" {
		t.Errorf("nobody waits, but the list says %q", got)
	}
	err := commands.ChangeAccounts(t.Context(), settings, commands.EnableAccount, []string{"no e-mail"}, &bytes.Buffer{})
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v, want Invalid", err)
	}
}

// The running server notices what another process decided.
func TestDecisionsReachTheRunningServer(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	running := start(t, settings)
	token, err := commands.Token(settings, "newcomer@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, me := running.get("/api/v1/rf/accounts/me", token); !strings.Contains(me, `"enabled":false`) {
		t.Errorf("the newcomer is enabled: %s", me)
	}
	if err := commands.ChangeAccounts(t.Context(), settings, commands.EnableAccount, []string{"newcomer@example.org"}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if _, me := running.get("/api/v1/rf/accounts/me", token); !strings.Contains(me, `"enabled":true`) {
		t.Errorf("the newcomer is not enabled: %s", me)
	}
}
