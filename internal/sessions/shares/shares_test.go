package shares_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"cairn/internal/entries/projects"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/shares"
)

func TestSharesAreForWhomTheyName(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		session := w.Reconciled("Session")
		for _, level := range []shares.Level{shares.See, shares.Copy, shares.Edit} {
			w.share(session, `{"with":{"email":"Bob@Example.org"},"can":"`+string(level)+`"}`)
			if got := w.level(session, w.Bob); got != level {
				w.T.Errorf("bob may %q, want %q", got, level)
			}
		}
		if list, err := w.Server.Shares.List(w.As(w.Ann), session.ID); err != nil || len(list) != 1 {
			w.T.Errorf("the same person is shared with %d times (%v)", len(list), err)
		}
		if got := w.level(session, w.carol); got != "" {
			w.T.Errorf("carol may %q", got)
		}
		if got := w.level(session, w.Ann); got != shares.Owner {
			w.T.Errorf("the owner may %q", got)
		}
		late := w.Person("late") // who signs in after they were shared with
		w.share(session, `{"with":{"email":"late@example.org"},"can":"see"}`)
		if got := w.level(session, late); got != shares.See {
			w.T.Errorf("late may %q", got)
		}
	})
}

func TestAProjectIsSharedWithItsMembersOfTheTime(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		session := w.Reconciled("Session")
		project := w.Projects["notes"]
		w.share(session, `{"with":{"project":"`+project+`"},"can":"edit"}`)
		if got := w.level(session, w.Bob); got != "" {
			w.T.Errorf("bob isn't a member, and may %q", got)
		}
		_, err := w.Entries.SetMember(w.As(w.Ann), project, "bob@example.org", projects.Viewer)
		sessionstest.Check(w.T, err)
		if got := w.level(session, w.Bob); got != shares.Edit {
			w.T.Errorf("bob may %q", got)
		}
		sessionstest.Check(w.T, w.Entries.RemoveMember(w.As(w.Ann), project, "bob@example.org"))
		if got := w.level(session, w.Bob); got != "" {
			w.T.Errorf("bob was removed, and may %q", got)
		}
		w.WantStatus("a project that ann isn't a member of", w.call(http.MethodPost, "/sessions/"+session.ID+"/shares", "ann", `{"with":{"project":"`+w.Projects["bob's"]+`"},"can":"see"}`), http.StatusNotFound)
	})
}

func TestSharesEndInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"see","until":"`+w.Clock.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	w.Clock.Advance(time.Hour - time.Microsecond)
	if got := w.level(session, w.Bob); got != shares.See {
		t.Errorf("before its end bob may %q", got)
	}
	w.Clock.Advance(time.Microsecond)
	if got := w.level(session, w.Bob); got != "" {
		t.Errorf("after its end bob may %q", got)
	}
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"see","until":"session"}`)
	w.share(session, `{"with":{"email":"carol@example.org"},"can":"see","until":"`+w.Clock.Now().Add(48*time.Hour).Format(time.RFC3339)+`"}`)
	_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got := w.level(session, w.Bob); got != "" {
		t.Errorf("after the end of the session bob may %q", got)
	}
	w.Clock.Advance(time.Second)
	_, err = w.Server.Restart(w.As(w.Ann), session.ID)
	sessionstest.Check(t, err)
	if got := w.level(session, w.Bob); got != "" {
		t.Errorf("in the next launch bob may %q", got)
	}
	if got := w.level(session, w.carol); got != shares.See {
		t.Errorf("carol, until the day after tomorrow, may %q", got)
	}
}

func TestBadSharesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	path := "/sessions/" + session.ID + "/shares"
	for body, want := range map[string]int{
		`{"with":{},"can":"see"}`:                                                                     422,
		`{"with":{"email":"bob@example.org","link":true},"can":"see"}`:                                422,
		`{"with":{"email":"bob"},"can":"see"}`:                                                        422,
		`{"with":{"email":"ann@example.org"},"can":"see"}`:                                            422,
		`{"with":{"email":"bob@example.org"},"can":"owner"}`:                                          422,
		`{"with":{"link":true},"can":"see","until":"tomorrow"}`:                                       422,
		`{"with":{"link":true},"can":"see","until":"2026-02-01T00:00:00Z"}`:                           422,
		`{"with":{"link":true},"can":"see","until":"2026-05-01T00:00:00Z"}`:                           422,
		`{"with":{"project":"nonsense"},"can":"see"}`:                                                 404,
		`{"with":{"email":"bob@example.org"},"can":"see","until":"2026-03-31T12:00:00Z"}`:             201,
		`{"with":{"email":"bob@example.org"},"can":"see","until":"2026-03-01T14:00:00.123456+01:00"}`: 201,
	} {
		if got := w.statusOf(http.MethodPost, path, "ann", body); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
	stopped := w.Settled("Stopped", sessions.Terminated)
	w.WantStatus("until the end of what has ended", w.call(http.MethodPost, "/sessions/"+stopped.ID+"/shares", "ann", `{"with":{"link":true},"can":"see"}`), http.StatusConflict)
	w.Options.Sharing.Links = shares.LinksForNobody
	w.Server = w.NewService()
	w.WantStatus("a link where there are none", w.call(http.MethodPost, path, "ann", `{"with":{"link":true},"can":"see"}`), http.StatusForbidden)
}

func TestLinksAreFollowedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		session := w.Reconciled("Session")
		made := w.share(session, `{"with":{"link":true},"can":"copy"}`)
		body := `{"link":"` + secretOf(w.T, made) + `"}`
		for range 2 {
			followed := sessionstest.Decode[shares.Shared](w.T, w.call(http.MethodPost, "/sessions/shared", "bob", body))
			if followed.ID != session.ID || followed.Can != shares.Copy || followed.Share != made.ID || followed.Owner != "ann" {
				w.T.Errorf("following leads to %+v", followed)
			}
		}
		shared, err := w.Server.Shares.Shared(w.As(w.Bob))
		if err != nil || len(shared) != 1 || shared[0].ID != session.ID || !shared[0].IsRunning {
			w.T.Errorf("bob has %+v (%v)", shared, err)
		}
		anonymous := sessionstest.Decode[shares.Shared](w.T, w.call(http.MethodPost, "/sessions/shared", "", body))
		if anonymous.Can != shares.See {
			w.T.Errorf("without an account, it's for %q", anonymous.Can)
		}
		w.end(session, made)
		w.WantStatus("a link that was ended", w.call(http.MethodPost, "/sessions/shared", "carol", body), http.StatusNotFound)
		if shared, _ := w.Server.Shares.Shared(w.As(w.Bob)); len(shared) != 0 {
			w.T.Errorf("bob still has %+v", shared)
		}
	})
}

func TestSignedInLinksNeedAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Sharing.Links = shares.LinksForSignedIn
	w.Server = w.NewService()
	session := w.Reconciled("Session")
	secret := secretOf(t, w.share(session, `{"with":{"link":true},"can":"see"}`))
	w.WantStatus("following", w.call(http.MethodPost, "/sessions/shared", "", `{"link":"`+secret+`"}`), http.StatusUnauthorized)
	w.WantStatus("looking", w.call(http.MethodGet, "/sessions/"+session.ID+"/see", "", "", "Share-Link", secret), http.StatusUnauthorized)
	w.WantStatus("following with an account", w.call(http.MethodPost, "/sessions/shared", "bob", `{"link":"`+secret+`"}`), http.StatusOK)
}

func TestRequestsAreAnsweredByThoseWhoMay(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		session := w.Reconciled("Session")
		path := "/sessions/" + session.ID + "/requests"
		w.WantStatus("somebody who isn't enabled", w.call(http.MethodPost, path, "newbie", `{"kind":"enter"}`), http.StatusForbidden)
		w.WantStatus("help with somebody else's session", w.call(http.MethodPost, path, "bob", `{"kind":"help"}`), http.StatusNotFound)
		w.WantStatus("a session that doesn't exist", w.call(http.MethodPost, "/sessions/0195a000-0000-7000-8000-000000000000/requests", "bob", `{"kind":"enter"}`), http.StatusNotFound)

		asked := w.ask(session, "bob", `{"kind":"enter","message":"It's me"}`)
		again := w.ask(session, "bob", `{"kind":"enter","can":"see"}`)
		if open, err := w.Server.Shares.Open(w.As(w.Ann)); err != nil || len(open) != 1 || open[0].ID != again.ID || open[0].By != "bob@example.org" || open[0].SessionName != "Session" {
			w.T.Errorf("ann may answer %+v (%v)", open, err)
		}
		if open, _ := w.Server.Shares.Open(w.As(w.carol)); len(open) != 0 {
			w.T.Errorf("carol may answer %+v", open)
		}
		if again.SessionName != "" || !again.Mine {
			w.T.Errorf("bob is told %+v", again)
		}
		w.WantStatus("the one that was replaced", w.call(http.MethodPatch, path+"/"+asked.ID, "ann", `{"granted":true}`), http.StatusNotFound)
		w.WantStatus("granting it to oneself", w.call(http.MethodPatch, path+"/"+again.ID, "bob", `{"granted":true}`), http.StatusForbidden)
		w.WantStatus("somebody else's", w.call(http.MethodPatch, path+"/"+again.ID, "carol", `{"granted":true}`), http.StatusNotFound)
		w.WantStatus("granting", w.call(http.MethodPatch, path+"/"+again.ID, "ann", `{"granted":true,"can":"edit"}`), http.StatusOK)
		w.WantStatus("twice", w.call(http.MethodPatch, path+"/"+again.ID, "ann", `{"granted":false}`), http.StatusConflict)
		if got := w.level(session, w.Bob); got != shares.Edit {
			w.T.Errorf("bob may %q", got)
		}
		w.WantStatus("what one may already", w.call(http.MethodPost, path, "bob", `{"kind":"enter"}`), http.StatusConflict)
	})
}

func TestTheHelpDeskGetsWhatIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	path := "/sessions/" + session.ID + "/requests"
	asked := w.ask(session, "ann", `{"kind":"help","message":"It fails"}`)
	if open, err := w.Server.Shares.Open(w.As(w.carol)); err != nil || len(open) != 1 || open[0].ID != asked.ID || open[0].Can != shares.See {
		t.Errorf("carol may answer %+v (%v)", open, err)
	}
	w.WantStatus("by the owner", w.call(http.MethodPatch, path+"/"+asked.ID, "ann", `{"granted":true}`), http.StatusForbidden)
	w.WantStatus("by somebody else", w.call(http.MethodPatch, path+"/"+asked.ID, "bob", `{"granted":true}`), http.StatusNotFound)
	w.WantStatus("more than that", w.call(http.MethodPatch, path+"/"+asked.ID, "carol", `{"granted":true,"can":"edit"}`), http.StatusUnprocessableEntity)
	w.WantStatus("granting", w.call(http.MethodPatch, path+"/"+asked.ID, "carol", `{"granted":true}`), http.StatusOK)
	if got := w.level(session, w.carol); got != shares.See {
		t.Errorf("carol may %q", got)
	}
	other := w.ask(session, "ann", `{"kind":"help","can":"edit"}`)
	w.WantStatus("taking it back", w.call(http.MethodPatch, path+"/"+other.ID, "ann", `{"granted":false}`), http.StatusOK)
	w.Options.Sharing.HelpDesk = nil
	w.Server = w.NewService()
	w.WantStatus("without a help desk", w.call(http.MethodPost, path, "ann", `{"kind":"help"}`), http.StatusConflict)
}

func TestACopyIsTheCopiersOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	w.Publish("tools", "REPOSITORY", "https://github.com/example/tools.git", "PUBLIC")
	session := w.Running("Session")
	w.Saved(session.ID, map[string]string{"notes.txt": "ann's"})
	seen := w.share(session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
	w.WantStatus("with a right to see", w.call(http.MethodPost, "/sessions", "bob", `{"fromShare":"`+seen.ID+`"}`), http.StatusForbidden)
	made := w.share(session, `{"with":{"email":"bob@example.org"},"can":"copy"}`)
	w.WantStatus("by somebody else", w.call(http.MethodPost, "/sessions", "carol", `{"fromShare":"`+made.ID+`"}`), http.StatusNotFound)
	w.WantStatus("by somebody who isn't enabled", w.call(http.MethodPost, "/sessions", "newbie", `{"fromShare":"`+made.ID+`"}`), http.StatusForbidden)
	w.WantStatus("together with a project", w.call(http.MethodPost, "/sessions", "bob", `{"fromShare":"`+made.ID+`","projectId":"`+w.Projects["shared"]+`"}`), http.StatusUnprocessableEntity)
	answer := w.call(http.MethodPost, "/sessions", "bob", `{"fromShare":"`+made.ID+`"}`)
	w.WantStatus("copying", answer, http.StatusCreated)
	copied := sessionstest.Decode[sessions.Session](t, answer)
	w.Launched(copied.ID)
	w.Machine.Ready(copied.ID)
	w.WaitFor(copied.ID, sessions.Running)
	if row := w.Row(copied.ID); row.UserID != "bob@example.org" || row.SessionName != "Session" {
		t.Errorf("the copy is %q of %s", row.SessionName, row.UserID)
	}
	if file := w.Machine.Work(copied.ID, "notes.txt"); file != "ann's" {
		t.Errorf("the copy has %q", file)
	}
	if got := w.level(copied, w.Ann); got != "" {
		t.Errorf("ann may %q with bob's copy", got)
	}
	w.wantActivity(w.Ann, audit.StartSession, "bob@example.org")
}

// What others do is in the owner's activity, and on the session's card the next time.
func TestOwnersSeeWhoWasThere(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		session := w.Reconciled("Session")
		w.share(session, `{"with":{"email":"bob@example.org"},"can":"edit"}`)
		before := w.Server.ListTag(w.As(w.Ann), sessions.Filter{})
		cookie := w.Enter(session, w.Bob)
		w.WantStatus("bob's page", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", cookie), http.StatusOK)
		w.WantStatus("ann's page", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", w.Enter(session, w.Ann)), http.StatusOK)
		sessionstest.Check(w.T, w.Server.Presence.Look(w.T.Context()))
		if after := w.Server.ListTag(w.As(w.Ann), sessions.Filter{}); after == before {
			w.T.Error("the list of sessions counts as unchanged")
		}
		shown := w.list()
		if len(shown.Present) != 1 || shown.Present[0].Name != "bob" || shown.Present[0].As != "edit" || shown.Shares != 1 {
			w.T.Errorf("ann sees %+v", shown.Present)
		}
		present, err := w.Server.Shares.Present(w.T.Context(), session, w.Bob.AccountID)
		if err != nil || len(present) != 1 || present[0].Name != "ann" || present[0].As != "owner" {
			w.T.Errorf("bob sees %+v (%v)", present, err)
		}
		w.Clock.Advance(time.Minute)
		sessionstest.Check(w.T, w.Server.Presence.Look(w.T.Context()))
		shown = w.list()
		if len(shown.Present) != 0 || len(shown.Visits) != 1 || shown.Visits[0].Name != "bob" || shown.Visits[0].Until == nil {
			w.T.Errorf("a minute later ann sees %+v and %+v", shown.Present, shown.Visits)
		}
		w.wantActivity(w.Ann, audit.EnterSession, "bob@example.org")
		w.wantActivity(w.Ann, audit.OpenSession, "bob@example.org")
	})
}

// A server that was killed can't say who has gone.
func TestVisitsOfAKilledServerEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"edit"}`)
	w.WantStatus("bob's page", w.Visit(http.MethodGet, w.Inside(session, "tree"), "Cookie", w.Enter(session, w.Bob)), http.StatusOK)
	other := w.NewService()
	sessionstest.Check(t, other.Presence.Look(t.Context()))
	if shown := w.list(); len(shown.Present) != 1 {
		t.Fatalf("ann sees %+v", shown.Present)
	}
	w.Clock.Advance(31 * time.Second)
	sessionstest.Check(t, other.Presence.Look(t.Context()))
	if shown := w.list(); len(shown.Present) != 0 || len(shown.Visits) != 1 {
		t.Errorf("ann still sees %+v", shown.Present)
	}
}

// end ends a share of ann's.
func (w *world) end(session sessions.Session, share shares.Share) {
	w.T.Helper()
	w.WantStatus("ending a share", w.call(http.MethodDelete, "/sessions/"+session.ID+"/shares/"+share.ID, "ann", ""), http.StatusOK)
}

// ask makes a request about a session.
func (w *world) ask(session sessions.Session, caller, body string) shares.Request {
	w.T.Helper()
	answer := w.call(http.MethodPost, "/sessions/"+session.ID+"/requests", caller, body)
	w.WantStatus("asking "+body, answer, http.StatusCreated)
	return sessionstest.Decode[shares.Request](w.T, answer)
}

// list returns ann's only session as her list shows it.
func (w *world) list() sessions.Session {
	w.T.Helper()
	found, err := w.Server.List(w.As(w.Ann), sessions.Filter{})
	sessionstest.Check(w.T, err)
	if len(found) != 1 {
		w.T.Fatalf("%d sessions", len(found))
	}
	return found[0]
}

// wantActivity checks that somebody's activity has an action of somebody else.
func (w *world) wantActivity(of identity.Caller, action audit.Action, by string) {
	w.T.Helper()
	found, _, err := audit.NewStore(w.Database).Activity(w.T.Context(), audit.Actor{AccountID: of.AccountID, Email: of.Email}, 0, 100)
	sessionstest.Check(w.T, err)
	if !slices.ContainsFunc(found, func(one audit.AuditRecord) bool { return one.Action == action && one.Actor == by }) {
		w.T.Errorf("%s of %s isn't in the activity of %s: %+v", action, by, of.Email, found)
	}
}

func TestDisabledPeopleHaveNoRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	w.share(session, `{"with":{"email":"bob@example.org"},"can":"see"}`)
	w.Enable("bob@example.org", false)
	_, err := w.Server.Shares.RightOf(w.As(w.Bob), session.ID, shares.Visitor{AccountID: w.Bob.AccountID}, shares.See)
	if fault.CodeOf(err) != fault.AccountDisabled {
		t.Errorf("bob is disabled, and gets %v", err)
	}
	w.Enable("bob@example.org", true)
	w.Enable("ann@example.org", false)
	if got := w.level(session, w.Bob); got != "" {
		t.Errorf("ann is disabled, and bob may %q with her session", got)
	}
}
