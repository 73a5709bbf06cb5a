package sessions_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/runnable"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/warm"
)

// demanding adds a repository that asks for resources, and a project of ann's with it.
func (w *world) demanding(needs catalog.Needs) (entry, project string) {
	w.T.Helper()
	w.AddEntries(catalog.Entry{ExternalID: "demanding", Type: catalog.Repository, RepositoryURL: "https://github.com/example/demanding", Needs: &needs})
	made, err := w.Entries.Create(w.As(w.Ann), projects.Draft{Name: "Demanding", RepositoryID: w.ID("demanding")})
	sessionstest.Check(w.T, err)
	return w.ID("demanding"), made.ID
}

type sizedBody struct {
	ID, Code, Message string

	Profile *struct{ Name string }
	Needs   *catalog.Needs
	Lacks   []sizes.Shortfall
}

const gib = 1 << 30

func TestStartsGetWhatTheEntryAsksFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needs        catalog.Needs
		profile      string
		status       int
		size, code   string
		lacks        []sizes.Shortfall
		sayInMessage string
	}{
		{catalog.Needs{MemoryBytes: 8 * gib}, "", 201, "large", "", nil, ""},
		{catalog.Needs{MemoryBytes: gib}, "", 201, "small", "", nil, ""},
		{catalog.Needs{MemoryBytes: 8 * gib, GPUs: 1}, "small", 201, "small", "", []sizes.Shortfall{"memory", "gpus"}, ""},
		{catalog.Needs{CPUs: 3}, "small", 201, "small", "", []sizes.Shortfall{"cpus"}, ""},
		{catalog.Needs{MemoryBytes: 8 * gib}, "large", 201, "large", "", nil, ""},
		{catalog.Needs{MemoryBytes: 32 * gib}, "", 422, "", "no_profile_fits", nil, "no size of session that your account can choose"},
		{catalog.Needs{GPUs: 5}, "", 422, "", "no_profile_fits", nil, "no size of session here"},
		{catalog.Needs{GPUs: 5}, "large", 201, "large", "", []sizes.Shortfall{"gpus"}, ""},
		{catalog.Needs{GPUs: 5}, "huge", 422, "", "profile_unknown", nil, ""},
	} {
		w, _ := withSizes(t)
		w.Server.Limit = 10
		entry, project := w.demanding(c.needs)
		api := w.API()
		wanted := func(what string, body sizedBody, status int) {
			t.Helper()
			size := ""
			if body.Profile != nil {
				size = body.Profile.Name
			}
			if status/100 != c.status/100 || body.Code != c.code || size != c.size || !slices.Equal(body.Lacks, c.lacks) || !strings.Contains(body.Message, c.sayInMessage) {
				t.Errorf("%s that needs %+v in %q: %d %+v", what, c.needs, c.profile, status, body)
			}
			if c.code == "" && (body.Needs == nil || *body.Needs != c.needs) {
				t.Errorf("the session needs %+v, want %+v", body.Needs, c.needs)
			}
		}
		for what, wish := range map[string]map[string]string{"an entry": {"resourceId": entry}, "a project": {"projectId": project}} {
			if c.profile != "" {
				wish["profile"] = c.profile
			}
			answer := post(t, api, "ann", wish)
			wanted(what, sessionstest.Decode[sizedBody](t, answer), answer.Code)
		}
		query := url.Values{"sessionName": {"Older"}, "profile": {c.profile}}
		answer := sessionstest.Call(api, http.MethodGet, "/hub/start/project/"+project+"?"+query.Encode(), "ann")
		body := sessionstest.Decode[sizedBody](t, answer)
		if answer.Code == http.StatusOK {
			started := sessionstest.Decode[redirectBody](t, answer)
			body = sessionstest.Decode[sizedBody](t, sessionstest.Call(api, http.MethodGet, "/sessions/"+started.SessionID, "ann"))
		}
		wanted("the older start", body, answer.Code)
	}
}

func TestTheEngineWithASizeThatFits(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, _ := w.demanding(catalog.Needs{GPUs: 1})
	hub := w.Options.Engines.All[0]
	hub.Name, hub.Local = "hub", false
	w.Options.Engines.All = append(w.Options.Engines.All, hub)
	w.offer(offered[:1]...)
	w.Server.Limit = 10
	if session := w.StartFrom(sessions.StartRequest{ResourceID: entry}); session.Engine != "hub" || session.Profile.Name != "large" {
		t.Errorf("it is on %q in %+v", session.Engine, session.Profile)
	}
	_, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: entry, Engine: "local"})
	if fault.CodeOf(err) != fault.NoProfileFits || !strings.Contains(fault.MessageOf(err), "on this engine") {
		t.Errorf("on the engine without: %v", err)
	}
	if session := w.StartFrom(sessions.StartRequest{ResourceID: entry, Engine: "local", Profile: "small"}); session.Engine != "local" || !slices.Equal(session.Lacks, []sizes.Shortfall{"gpus"}) {
		t.Errorf("in a size that somebody chose: %q, lacks %v", session.Engine, session.Lacks)
	}
}

// What a session was started with stays when the entry asks for something else, and when sizes change.
func TestNeedsOfASessionStay(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, _ := w.demanding(catalog.Needs{MemoryBytes: 8 * gib})
	session := w.StartFrom(sessions.StartRequest{ResourceID: entry})
	w.AddEntries(catalog.Entry{ExternalID: "demanding", Type: catalog.Repository, RepositoryURL: "https://github.com/example/demanding"})
	less := offered[1]
	less.Limits.MemoryBytes = 4 * gib
	before := w.Server.ListTag(w.As(w.Ann), sessions.Filter{})
	w.offer(offered[0], less)
	session, err := w.Server.Own(w.As(w.Ann), session.ID)
	if err != nil || *session.Needs != (catalog.Needs{MemoryBytes: 8 * gib}) || !slices.Equal(session.Lacks, []sizes.Shortfall{"memory"}) {
		t.Errorf("it needs %+v and lacks %v: %v", session.Needs, session.Lacks, err)
	}
	if w.Server.ListTag(w.As(w.Ann), sessions.Filter{}) == before {
		t.Error("the list has the same tag")
	}
	if session = w.StartFrom(sessions.StartRequest{ResourceID: entry}); session.Needs != nil || session.Profile.Name != "small" {
		t.Errorf("a new one needs %+v in %+v", session.Needs, session.Profile)
	}
}

func TestSizesOfAnEntry(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, project := w.demanding(catalog.Needs{MemoryBytes: 8 * gib, GPUs: 1})
	asked := func(caller, query string) sessions.EngineProfiles {
		t.Helper()
		answer := sessionstest.Call(w.API(), http.MethodGet, "/sessions/profiles"+query, caller)
		w.WantStatus(query, answer, http.StatusOK)
		return sessionstest.Decode[[]sessions.EngineProfiles](t, answer)[0]
	}
	if got := asked("ann", ""); !got.Fits || got.Chosen != "small" || got.Needs != nil || got.Profiles[0].Lacks != nil {
		t.Errorf("without an entry: %+v", got)
	}
	for _, query := range []string{"?resourceId=" + entry, "?projectId=" + project} {
		got := asked("ann", query)
		if !got.Fits || got.Chosen != "large" || got.Needs.GPUs != 1 || !slices.Equal(got.Profiles[0].Lacks, []sizes.Shortfall{"memory", "gpus"}) || got.Profiles[1].Lacks != nil {
			t.Errorf("%s: %+v", query, got)
		}
	}
	w.offer(offered[:1]...)
	if got := asked("ann", "?resourceId="+entry); got.Fits || got.Chosen != "" || len(got.Profiles) != 1 {
		t.Errorf("when none fits: %+v", got)
	}
	w.WantStatus("somebody's project", sessionstest.Call(w.API(), http.MethodGet, "/sessions/profiles?projectId="+project, "bob"), http.StatusNotFound)
	w.WantStatus("no entry", sessionstest.Call(w.API(), http.MethodGet, "/sessions/profiles?resourceId=x", "ann"), http.StatusNotFound)
}

// An entry says beforehand, to each reader, whether a start without a wish would be refused.
func TestEntriesSayThatNoSizeFits(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, _ := w.demanding(catalog.Needs{MemoryBytes: 32 * gib})
	sessionstest.Check(t, w.Found.CatchUp(t.Context()))
	for _, c := range []struct {
		caller identity.Caller
		code   fault.Code
	}{{w.Ann, fault.NoProfileFits}, {w.Operator(), ""}, {identity.Caller{}, ""}} {
		ctx := t.Context()
		if c.caller.Email != "" {
			ctx = w.As(c.caller)
		}
		page, err := w.Found.Search(ctx, catalog.Query{Text: "demanding", Limit: 10}, true)
		sessionstest.Check(t, err)
		alone, err := w.Found.Get(ctx, entry)
		sessionstest.Check(t, err)
		for _, got := range append(page.Resources, alone) {
			if got.RunCode != c.code || *got.Runnable != (c.code == "") || (got.RunNote != "") != (c.code != "") || got.Needs == nil {
				t.Errorf("%q sees %q %q", c.caller.Email, got.RunCode, got.RunNote)
			}
		}
		if len(page.Resources) != 1 {
			t.Errorf("found %d entries", len(page.Resources))
		}
	}
	model := catalog.Entry{Type: catalog.Model, Needs: &catalog.Needs{GPUs: 5}}.Resource()
	(&runnable.Rules{Unfit: func(*catalog.Needs, catalog.Reader) string { return "No." }}).Link().Add(&model, catalog.Reader{})
	if model.RunCode != fault.NotRunnable {
		t.Errorf("a model is refused as %q", model.RunCode)
	}
}

// What nobody in particular starts gets the size that everyone would get.
func TestSizesThatNobodyWishedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large := offered[1]
	large.For = sizes.Audience{}
	entry, _ := w.demanding(catalog.Needs{MemoryBytes: 8 * gib})
	w.KeepsWarm(warm.Want{Entry: entry, Count: 1})
	asked := askedEngine{w.Options.Engines.All[0].Engine.(engine.Versioner), &sync.Mutex{}, map[string]engine.Spec{}}
	w.Options.Engines.All[0].Engine = asked
	w.offer(offered[0], offered[3], large)
	kill := w.Run(w.Server)
	ready := w.WarmUp(1)
	asked.mu.Lock()
	if got := asked.specs[ready[0].ID].Profile.Name; got != "large" {
		t.Errorf("the warm session has the size %q", got)
	}
	asked.mu.Unlock()
	if session := w.StartFrom(sessions.StartRequest{ResourceID: entry}); session.ID != ready[0].ID || session.Profile.Name != "large" {
		t.Errorf("%s in %+v was started, want the warm session", session.ID, session.Profile)
	}
	kill()
	w.Server.Engines.All[0].Engine = fake.New(w.Machine)
	spec, err := w.Server.Batch.Spec(t.Context(), "id", entry, "", "", false)
	if err != nil || spec.Profile.Name != "large" {
		t.Errorf("a run has %+v: %v", spec.Profile, err)
	}
	if spec, err = w.Server.Batch.Spec(t.Context(), "id", w.ID("tools"), "", "", false); err != nil || spec.Profile != (engine.Profile{}) {
		t.Errorf("a run of an entry that asks for nothing has %+v: %v", spec.Profile, err)
	}
	w.AddEntries(catalog.Entry{ExternalID: "demanding", Type: catalog.Repository, RepositoryURL: "https://github.com/example/demanding", Needs: &catalog.Needs{GPUs: 5}})
	if _, err := w.Server.Batch.Spec(t.Context(), "id", entry, "", "", false); fault.CodeOf(err) != fault.NoProfileFits {
		t.Errorf("a run that needs more than there is: %v", err)
	}
}
