package sessions

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
)

func (w *world) issue(kind string, session Session, login string) (secret string) {
	w.t.Helper()
	secret, err := w.store.Issue(w.t.Context(), kind, pass{sessionID: session.ID, accountID: w.ann.AccountID, login: login})
	check(w.t, err)
	return secret
}

// opens reports whether a cookie's secret leads into a session now.
func (w *world) opens(secret string, session Session) bool {
	w.t.Helper()
	holder, err := w.store.Cookie(w.t.Context(), secret, session.ID, w.clock.Now())
	if err != nil {
		wantKind(w.t, err, fault.Unauthenticated)
		return false
	}
	return holder.accountID == w.ann.AccountID && holder.sessionID == session.ID
}

func TestTicketWorksOnceForItsSessionWithinAMinute(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		session, other := w.created("session"), w.created("other")
		redeem := func(secret string, of Session) error {
			_, err := w.store.Redeem(ctx, ticketKind, secret, of.ID)
			return err
		}

		ticket := w.issue(ticketKind, session, "laptop")
		wantKind(t, redeem(ticket, other), fault.Unauthenticated)
		wantKind(t, redeem(ticket+"x", session), fault.Unauthenticated)
		wantKind(t, redeem("", session), fault.Unauthenticated)
		wantKind(t, redeem(w.issue(cookieKind, session, "laptop"), session), fault.Unauthenticated)
		wantKind(t, redeem(w.issue(workKind, session, "laptop"), session), fault.Unauthenticated)
		if w.opens(ticket, session) {
			t.Error("a ticket works as a cookie")
		}
		holder, err := w.store.Redeem(ctx, ticketKind, ticket, session.ID)
		check(t, err)
		if holder.accountID != w.ann.AccountID || holder.sessionID != session.ID || holder.login != "laptop" {
			t.Errorf("the ticket stands for %+v", holder)
		}
		wantKind(t, redeem(ticket, session), fault.Unauthenticated)

		inTime, late := w.issue(ticketKind, session, ""), w.issue(ticketKind, session, "")
		w.clock.advance(60 * time.Second)
		check(t, redeem(inTime, session))
		w.clock.advance(time.Microsecond)
		wantKind(t, redeem(late, session), fault.Unauthenticated)
	})
}

func TestTicketRedeemedTwiceAtOnceWorksOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.created("session")
		ticket := w.issue(ticketKind, session, "")
		var worked atomic.Int32
		var tries sync.WaitGroup
		for range 8 {
			tries.Go(func() {
				if _, err := w.store.Redeem(t.Context(), ticketKind, ticket, session.ID); err == nil {
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
		session, other := w.created("session"), w.created("other")
		kept, left := w.issue(cookieKind, session, ""), w.issue(cookieKind, session, "")
		if w.opens(kept, other) {
			t.Error("the cookie of one session opens another")
		}
		w.clock.advance(8 * time.Hour)
		if !w.opens(kept, session) || !w.opens(left, session) {
			t.Error("a cookie ended before eight hours")
		}
		check(t, w.store.Renew(t.Context(), kept))
		w.clock.advance(time.Microsecond)
		if w.opens(left, session) {
			t.Error("a cookie works after eight hours")
		}
		w.clock.advance(8*time.Hour - time.Microsecond)
		if !w.opens(kept, session) {
			t.Error("a renewed cookie ended before eight hours")
		}
		w.issue(ticketKind, session, "") // sweeps what has expired
		if count := w.accessRows(""); count != 2 {
			t.Errorf("%d ways in are kept, want the renewed cookie and the new ticket", count)
		}
	})
}

func TestWithdrawEndsOneLoginOrTheWholeAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.created("session")
		secrets := map[string]string{}
		fill := func() {
			for _, login := range []string{"laptop", "phone", ""} {
				secrets[login] = w.issue(cookieKind, session, login)
			}
		}
		withdraw := func(caller identity.Caller, login string) {
			t.Helper()
			caller.Login = login
			check(t, w.store.Withdraw(t.Context(), caller))
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
		withdraw(w.bob, "laptop")
		withdraw(w.bob, "")
		wantOpen("somebody else signed out", "laptop", "phone", "")
		withdraw(w.ann, "laptop")
		wantOpen("the laptop signed out", "phone", "")
		fill()
		withdraw(w.ann, "")
		if count := w.accessRows(""); count != 0 {
			t.Errorf("%d ways in are left after a sign-out without a sid", count)
		}
	})
}

// A leaked database leads into no session.
func TestOnlyDigestsOfSecretsAreKept(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.created("session")
		for _, kind := range []string{ticketKind, cookieKind} {
			secret := w.issue(kind, session, "laptop")
			if len(secret) < 40 {
				t.Errorf("the %s is only %d characters long", kind, len(secret))
			}
			if count := w.accessRows(secret); count != 0 {
				t.Errorf("the %s stands in the table", kind)
			}
			if count := w.accessRows(digest(secret)); count != 1 {
				t.Errorf("the digest of the %s stands in %d rows, want 1", kind, count)
			}
		}
	})
}

func TestDeletingASessionEndsTheWaysIntoIt(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.created("session")
		w.issue(cookieKind, session, "")
		check(t, w.store.Forget(t.Context(), session.ID))
		if count := w.accessRows(""); count != 0 {
			t.Errorf("%d ways in are left", count)
		}
	})
}

// accessRows counts the stored ways in that hold a text in any column.
func (w *world) accessRows(text string) (count int) {
	w.t.Helper()
	err := w.store.db.QueryRowContext(w.t.Context(), `SELECT count(*) FROM session_access
		WHERE digest || '|' || kind || '|' || session_id || '|' || account_id || '|' || login LIKE '%' || $1 || '%'`, text).Scan(&count)
	check(w.t, err)
	return count
}
