package origin_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

func (w *world) secrets() origin.Secrets { return origin.NewSecrets(w.Database) }

func (w *world) issue(kind string, session sessions.Session, login string) (secret string) {
	w.T.Helper()
	secret, err := w.secrets().Issue(w.T.Context(), kind, origin.Grant{SessionID: session.ID, AccountID: w.Ann.AccountID, Login: login})
	sessionstest.Check(w.T, err)
	return secret
}

// opens reports whether a cookie's secret leads into a session now.
func (w *world) opens(secret string, session sessions.Session) bool {
	w.T.Helper()
	holder, err := w.secrets().Cookie(w.T.Context(), secret, session.ID, w.Clock.Now())
	if err != nil {
		sessionstest.WantKind(w.T, err, fault.Unauthenticated)
		return false
	}
	return holder.AccountID == w.Ann.AccountID && holder.SessionID == session.ID
}

func TestTicketWorksOnceForItsSessionWithinAMinute(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		session, other := w.Created("session"), w.Created("other")
		redeem := func(secret string, of sessions.Session) error {
			_, err := w.secrets().Redeem(ctx, origin.TicketKind, secret, of.ID)
			return err
		}

		ticket := w.issue(origin.TicketKind, session, "laptop")
		sessionstest.WantKind(t, redeem(ticket, other), fault.Unauthenticated)
		sessionstest.WantKind(t, redeem(ticket+"x", session), fault.Unauthenticated)
		sessionstest.WantKind(t, redeem("", session), fault.Unauthenticated)
		sessionstest.WantKind(t, redeem(w.issue(origin.CookieKind, session, "laptop"), session), fault.Unauthenticated)
		sessionstest.WantKind(t, redeem(w.issue(origin.WorkKind, session, "laptop"), session), fault.Unauthenticated)
		if w.opens(ticket, session) {
			t.Error("a ticket works as a cookie")
		}
		holder, err := w.secrets().Redeem(ctx, origin.TicketKind, ticket, session.ID)
		sessionstest.Check(t, err)
		if holder.AccountID != w.Ann.AccountID || holder.SessionID != session.ID || holder.Login != "laptop" {
			t.Errorf("the ticket stands for %+v", holder)
		}
		sessionstest.WantKind(t, redeem(ticket, session), fault.Unauthenticated)

		inTime, late := w.issue(origin.TicketKind, session, ""), w.issue(origin.TicketKind, session, "")
		w.Clock.Advance(60 * time.Second)
		sessionstest.Check(t, redeem(inTime, session))
		w.Clock.Advance(time.Microsecond)
		sessionstest.WantKind(t, redeem(late, session), fault.Unauthenticated)
	})
}

func TestTicketRedeemedTwiceAtOnceWorksOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.Created("session")
		ticket := w.issue(origin.TicketKind, session, "")
		var worked atomic.Int32
		var tries sync.WaitGroup
		for range 8 {
			tries.Go(func() {
				if _, err := w.secrets().Redeem(t.Context(), origin.TicketKind, ticket, session.ID); err == nil {
					worked.Add(1)
				}
			})
		}
		tries.Wait()
		if worked.Load() != 1 {
			t.Fatalf("the ticket worked %d times", worked.Load())
		}
	})
}

func TestCookieLastsEightHoursFromItsLastRenewal(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session, other := w.Created("session"), w.Created("other")
		kept, left := w.issue(origin.CookieKind, session, ""), w.issue(origin.CookieKind, session, "")
		if w.opens(kept, other) {
			t.Error("the cookie of one session opens another")
		}
		w.Clock.Advance(8 * time.Hour)
		if !w.opens(kept, session) || !w.opens(left, session) {
			t.Error("a cookie ended before eight hours")
		}
		sessionstest.Check(t, w.secrets().Renew(t.Context(), kept))
		w.Clock.Advance(time.Microsecond)
		if w.opens(left, session) {
			t.Error("a cookie works after eight hours")
		}
		w.Clock.Advance(8*time.Hour - time.Microsecond)
		if !w.opens(kept, session) {
			t.Error("a renewed cookie ended before eight hours")
		}
		w.issue(origin.TicketKind, session, "") // sweeps what has expired
		if count := w.accessRows(""); count != 2 {
			t.Errorf("%d ways in are kept, want the renewed cookie and the new ticket", count)
		}
	})
}

func TestWithdrawEndsOneLoginOrTheWholeAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.Created("session")
		secrets := map[string]string{}
		fill := func() {
			for _, login := range []string{"laptop", "phone", ""} {
				secrets[login] = w.issue(origin.CookieKind, session, login)
			}
		}
		withdraw := func(caller identity.Caller, login string) {
			t.Helper()
			caller.Login = login
			sessionstest.Check(t, w.secrets().Revoke(t.Context(), caller))
		}
		wantOpen := func(what string, logins ...string) {
			t.Helper()
			for login, secret := range secrets {
				wanted := strings.Contains("|"+strings.Join(logins, "|")+"|", "|"+login+"|")
				if open := w.opens(secret, session); open != wanted {
					t.Errorf("%s: login %q opens the session: %t, want %t", what, login, open, wanted)
				}
			}
		}
		fill()
		withdraw(w.Bob, "laptop")
		withdraw(w.Bob, "")
		wantOpen("somebody else signed out", "laptop", "phone", "")
		withdraw(w.Ann, "laptop")
		wantOpen("the laptop signed out", "phone", "")
		fill()
		withdraw(w.Ann, "")
		if count := w.accessRows(""); count != 0 {
			t.Errorf("%d ways in are left after a sign-out without a sid", count)
		}
	})
}

// A leaked database leads into no session.
func TestOnlyDigestsOfSecretsAreKept(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.Created("session")
		for _, kind := range []string{origin.TicketKind, origin.CookieKind} {
			secret := w.issue(kind, session, "laptop")
			if len(secret) < 40 {
				t.Errorf("the %s is only %d characters long", kind, len(secret))
			}
			if count := w.accessRows(secret); count != 0 {
				t.Errorf("the %s stands in the table", kind)
			}
			if count := w.accessRows(origin.Digest(secret)); count != 1 {
				t.Errorf("the digest of the %s stands in %d rows, want 1", kind, count)
			}
		}
	})
}

func TestDeletingASessionEndsTheWaysIntoIt(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.Created("session")
		w.issue(origin.CookieKind, session, "")
		sessionstest.Check(t, w.Store.Forget(t.Context(), session.ID))
		if count := w.accessRows(""); count != 0 {
			t.Errorf("%d ways in are left", count)
		}
	})
}

// accessRows counts the stored ways in that hold a text in any column.
func (w *world) accessRows(text string) (count int) {
	w.T.Helper()
	err := w.Database.QueryRowContext(w.T.Context(), `SELECT count(*) FROM session_access
		WHERE digest || '|' || kind || '|' || session_id || '|' || account_id || '|' || login LIKE '%' || $1 || '%'`, text).Scan(&count)
	sessionstest.Check(w.T, err)
	return count
}

func TestEndOfAccessIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Session")
	secret := w.issue(origin.CookieKind, session, w.Ann.Login)
	api := w.API()
	sessionstest.Call(api, http.MethodDelete, "/sessions/access", "bob")
	if !w.opens(secret, session) {
		t.Error("a stranger ended ann's access")
	}
	sessionstest.Call(api, http.MethodDelete, "/sessions/access/", "ann")
	if _, err := w.secrets().Cookie(t.Context(), secret, session.ID, w.Clock.Now()); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("after sign-out: %v", err)
	}
}
