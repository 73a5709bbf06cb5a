package idp

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRefreshRotates(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	w.clock.advance(6 * time.Minute)
	second := w.refresh(first.Refresh)
	if second.status != http.StatusOK || second.Refresh == first.Refresh || second.Refresh == "" || second.Expires != 300 {
		t.Fatalf("got %+v", second)
	}
	before, err := w.verify(first.ID, testClient)
	if err == nil {
		t.Fatalf("the first ID token still lives: %v", before)
	}
	access, err := w.verify(second.Access, "gateway")
	w.check(err)
	identity, err := w.verify(second.ID, testClient)
	w.check(err)
	if access["email"] != ann || access["token_use"] != "access" || access["sid"] != identity["sid"] ||
		identity["email"] != ann || identity["name"] != "Ann Lee" {
		t.Errorf("access %v, identity %v", access, identity)
	}
	third := w.exchange("grant_type", "refresh_token", "refresh_token", second.Refresh, "scope", "openid")
	if third.status != http.StatusOK {
		t.Errorf("fewer scopes: %+v", third)
	}
	got := w.exchange("grant_type", "refresh_token", "refresh_token", third.Refresh, "scope", "openid profile")
	if got.Error != "invalid_scope" {
		t.Errorf("a new scope: %+v", got)
	}
}

func TestFiveTabsRenewAtOnceAndGetTheSameSuccessor(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	results := make([]tokens, 5)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() { results[i] = w.refresh(first.Refresh) })
	}
	group.Wait()
	w.clock.advance(refreshGrace)
	w.restart()
	results = append(results, w.refresh(first.Refresh))
	for i, got := range results {
		if got.status != http.StatusOK || got.Refresh != results[0].Refresh {
			t.Errorf("tab %d got %d %q, tab 0 %q", i, got.status, got.Refresh, results[0].Refresh)
		}
	}
	if got := w.refresh(results[0].Refresh); got.status != http.StatusOK {
		t.Errorf("the successor does not work: %+v", got)
	}
}

// CVE-2026-56750, GHSA-3rw9-wmc8-8948: a used refresh token works again for whoever copied it.
func TestReuseOfARotatedRefreshTokenEndsTheFamily(t *testing.T) {
	for name, between := range map[string]func(*world){
		"running": func(*world) {}, "after a restart": (*world).restart,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := w.signIn()
			other := w.redeem(w.code(w.authorize())) // another family of the same login
			second := w.refresh(first.Refresh)
			w.clock.advance(refreshGrace + time.Millisecond)
			between(w)
			if got := w.refresh(first.Refresh); got.Error != "invalid_grant" || got.Refresh != "" {
				t.Errorf("the stolen token: %+v", got)
			}
			between(w)
			if got := w.refresh(second.Refresh); got.Error != "invalid_grant" {
				t.Errorf("the family's living token: %+v", got)
			}
			w.expectEnded("its access token", second.Access)
			if got := w.refresh(other.Refresh); got.status != http.StatusOK {
				t.Errorf("the other family: %+v", got)
			}
		})
	}
}

func TestATokenTwoGenerationsOldEndsTheFamilyWithinTheGrace(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	third := w.refresh(w.refresh(first.Refresh).Refresh)
	if got := w.refresh(first.Refresh); got.Error != "invalid_grant" {
		t.Errorf("the first token: %+v", got)
	}
	if got := w.refresh(third.Refresh); got.Error != "invalid_grant" {
		t.Errorf("the third token: %+v", got)
	}
}

func TestGuessedRefreshTokensEndNothing(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	parts := strings.Split(first.Refresh, ".")
	for _, guess := range []string{
		"", "x", "..", parts[0] + ".0." + parts[2], parts[0] + ".2." + parts[2], parts[0] + ".1.", parts[0] + ".1",
		first.Refresh + ".x", parts[0] + ".01." + parts[2], first.Access,
	} {
		if got := w.refresh(guess); got.status != http.StatusBadRequest {
			t.Errorf("%q: %+v", guess, got)
		}
	}
	if got := w.refresh(first.Refresh); got.status != http.StatusOK {
		t.Errorf("the good token: %+v", got)
	}
}

func TestRefreshTokensEndAfterTwelveIdleHours(t *testing.T) {
	w := newWorld(t)
	token := w.signIn().Refresh
	for range 3 {
		w.clock.advance(familyIdle - time.Second)
		got := w.refresh(token)
		if got.status != http.StatusOK {
			t.Fatalf("in use: %+v", got)
		}
		token = got.Refresh
	}
	w.clock.advance(familyIdle)
	if got := w.refresh(token); got.Error != "invalid_grant" {
		t.Errorf("after twelve hours: %+v", got)
	}
}

func TestStateFileHoldsNothingToPresent(t *testing.T) {
	w := newWorld(t)
	got := w.refresh(w.signIn().Refresh)
	data, err := os.ReadFile(w.provider.state.path)
	w.check(err)
	parts := strings.Split(got.Refresh, ".")
	for _, secret := range []string{got.Refresh, parts[2], w.cookie(loginCookie), got.Access, got.ID} {
		if secret == "" || strings.Contains(string(data), secret) {
			t.Errorf("%q is in the state file", secret)
		}
	}
}

func TestNothingChangesThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	aside := w.options.Dir + "-aside"
	w.check(os.Rename(w.options.Dir, aside))
	got := w.post("/token", "grant_type", "refresh_token", "refresh_token", first.Refresh)
	if got.status != http.StatusInternalServerError || strings.Contains(got.body, w.options.Dir) ||
		!strings.Contains(got.body, "server_error") {
		t.Errorf("without a folder: %d %s", got.status, got.body)
	}
	w.expectError(w.submit(bob, "", "prompt", "login"), "server_error")
	w.check(os.Rename(aside, w.options.Dir))
	w.clock.advance(time.Minute)
	if got := w.refresh(first.Refresh); got.status != http.StatusOK {
		t.Errorf("with the folder back: %+v", got)
	}
}

func TestAnAccountThatLeftTheConfigurationIsOut(t *testing.T) {
	w := newWorld(t)
	first := w.signIn()
	w.options.Accounts = w.options.Accounts[1:]
	w.restart()
	if got := w.refresh(first.Refresh); got.Error != "invalid_grant" {
		t.Errorf("refresh: %+v", got)
	}
	if got := w.userinfo(first.Access); got.status != http.StatusUnauthorized {
		t.Errorf("userinfo: %d", got.status)
	}
	w.expectError(w.authorize("prompt", "none"), "login_required")
}
