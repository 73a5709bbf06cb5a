package sessions

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/projects"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/runnable"
	"cairn/internal/sessions/warm"
)

const gib = 1 << 30

// offer is a size for everyone.
func offer(name string, memory int64, cpus float64, gpus int) Profile {
	return Profile{Name: name, Label: name, Limits: Limits{MemoryBytes: memory, CPUs: cpus}, GPUs: gpus}
}

func TestTheSmallestSizeThatFits(t *testing.T) {
	t.Parallel()
	member := identity.Caller{Email: "ann@example.org"}
	operator := identity.Caller{Email: "olga@example.org", Operator: true}
	forOthers, forOperators := offer("others", 8*gib, 2, 0), offer("operators", 8*gib, 2, 0)
	forOthers.For.Domains, forOperators.For.Operators = []string{"example.edu"}, true
	plain := []Profile{offer("default", 4*gib, 2, 0), offer("small", 2*gib, 1, 0), offer("large", 16*gib, 8, 0), offer("gpu", 8*gib, 4, 1)}
	for what, c := range map[string]struct {
		sizes  []Profile
		caller identity.Caller
		needs  *catalog.Needs
		want   string // "": none fits
	}{
		"nothing is asked for":              {plain, member, nil, "default"},
		"little memory":                     {plain, member, &catalog.Needs{MemoryBytes: gib}, "small"},
		"exactly as much memory":            {plain, member, &catalog.Needs{MemoryBytes: 2 * gib}, "small"},
		"a byte more":                       {plain, member, &catalog.Needs{MemoryBytes: 2*gib + 1}, "default"},
		"processors":                        {plain, member, &catalog.Needs{CPUs: 2.5}, "large"},
		"memory and processors":             {plain, member, &catalog.Needs{MemoryBytes: gib, CPUs: 2}, "default"},
		"a GPU isn't spent on memory":       {plain, member, &catalog.Needs{MemoryBytes: 8 * gib}, "large"},
		"a GPU":                             {plain, member, &catalog.Needs{GPUs: 1}, "gpu"},
		"two GPUs":                          {plain, member, &catalog.Needs{GPUs: 2}, ""},
		"a GPU with much memory":            {plain, member, &catalog.Needs{GPUs: 1, MemoryBytes: 9 * gib}, ""},
		"too much memory":                   {plain, member, &catalog.Needs{MemoryBytes: 17 * gib}, ""},
		"the first of equal ones":           {[]Profile{offer("one", 4*gib, 2, 0), offer("other", 4*gib, 2, 0)}, member, &catalog.Needs{CPUs: 1}, "one"},
		"fewer processors at equal memory":  {[]Profile{offer("one", 4*gib, 4, 0), offer("other", 4*gib, 2, 0)}, member, &catalog.Needs{CPUs: 1}, "other"},
		"a limit before none":               {[]Profile{offer("free", 0, 0, 0), offer("limited", 4*gib, 2, 0)}, member, &catalog.Needs{CPUs: 1}, "limited"},
		"no limit is enough":                {[]Profile{offer("free", 0, 0, 0), offer("limited", 4*gib, 2, 0)}, member, &catalog.Needs{MemoryBytes: 1 << 45, CPUs: 500}, "free"},
		"no limit is no GPU":                {[]Profile{offer("free", 0, 0, 0)}, member, &catalog.Needs{GPUs: 1}, ""},
		"another domain's size":             {[]Profile{plain[0], forOthers}, member, &catalog.Needs{MemoryBytes: 5 * gib}, ""},
		"a smaller one of another domain":   {[]Profile{plain[2], forOthers}, member, &catalog.Needs{MemoryBytes: 5 * gib}, "large"},
		"one's own domain's size":           {[]Profile{plain[0], forOthers}, identity.Caller{Email: "eve@example.edu"}, &catalog.Needs{MemoryBytes: 5 * gib}, "others"},
		"the operators' size":               {[]Profile{plain[0], forOperators}, member, &catalog.Needs{MemoryBytes: 5 * gib}, ""},
		"the operators' size, for them":     {[]Profile{plain[0], forOperators}, operator, &catalog.Needs{MemoryBytes: 5 * gib}, "operators"},
		"a visitor may be anybody":          {[]Profile{plain[0], forOperators}, identity.Caller{}, &catalog.Needs{MemoryBytes: 5 * gib}, "operators"},
		"all sizes are for others":          {[]Profile{forOthers}, member, nil, ""},
		"needs of nothing in particular":    {plain, member, &catalog.Needs{}, "small"},
		"forbidden ones are never the rest": {[]Profile{forOthers, forOperators}, member, &catalog.Needs{CPUs: 1}, ""},
	} {
		got, fits := smallest(NamedEngine{Profiles: c.sizes}.offered(c.caller), c.needs)
		if got.Name != c.want || fits != (c.want != "") {
			t.Errorf("%s: %q %v, want %q", what, got.Name, fits, c.want)
		}
	}
	alone := NamedEngine{Limits: Limits{MemoryBytes: 4 * gib, CPUs: 2}}
	if _, fits := smallest(alone.offered(member), &catalog.Needs{MemoryBytes: 4 * gib}); !fits {
		t.Error("an engine without sizes has its own limits, and they fit")
	}
	if _, fits := smallest(alone.offered(member), &catalog.Needs{MemoryBytes: 5 * gib}); fits {
		t.Error("an engine without sizes has only its own limits")
	}
}

func TestWhyNoSizeFits(t *testing.T) {
	t.Parallel()
	member := identity.Caller{Email: "ann@example.org"}
	small, large, own := offer("small", 2*gib, 1, 0), offer("large", 16*gib, 4, 0), offer("own", 64*gib, 16, 2)
	own.For.Domains = []string{"example.edu"}
	engines := func(sizes ...[]Profile) (all []NamedEngine) {
		for _, one := range sizes {
			all = append(all, NamedEngine{Profiles: one})
		}
		return all
	}
	for _, c := range []struct {
		engines []NamedEngine
		needs   *catalog.Needs
		want    string
	}{
		{nil, &catalog.Needs{GPUs: 1}, ""},
		{engines([]Profile{small, large}), nil, ""},
		{engines([]Profile{small, large}), &catalog.Needs{MemoryBytes: 16 * gib}, ""},
		{engines([]Profile{small}, []Profile{large}), &catalog.Needs{MemoryBytes: 16 * gib}, ""},
		{
			engines([]Profile{small}, []Profile{large}), &catalog.Needs{MemoryBytes: 32 * gib, CPUs: 0.5, GPUs: 2},
			"Its authors ask for 34.4 GB of memory, 0.5 processors and 2 GPUs, and no size of session here has that. The largest has 17.2 GB of memory, 4 processors and no GPU.",
		},
		{
			engines([]Profile{offer("gpu", 8*gib, 2, 1), large}), &catalog.Needs{MemoryBytes: 32 * gib},
			"Its authors ask for 34.4 GB of memory, and no size of session here has that. The largest has 17.2 GB of memory and 4 processors.",
		},
		{
			[]NamedEngine{{Limits: Limits{MemoryBytes: 2 * gib, CPUs: 1}}},
			&catalog.Needs{MemoryBytes: 8 * gib},
			"Its authors ask for 8.6 GB of memory, and no size of session here has that. The only one has 2.1 GB of memory and 1 processor.",
		},
		{
			[]NamedEngine{{}},
			&catalog.Needs{GPUs: 1},
			"Its authors ask for 1 GPU, and no size of session here has that. The only one has no GPU.",
		},
		{
			engines([]Profile{small, large, own}), &catalog.Needs{GPUs: 1},
			"Its authors ask for 1 GPU, and no size of session that your account can choose here has that. The largest has 17.2 GB of memory, 4 processors and no GPU.",
		},
		{engines([]Profile{own}), &catalog.Needs{GPUs: 1}, "Its authors ask for 1 GPU, and your account can't choose any size of session here."},
	} {
		if got := Unfit(c.engines, c.needs, member); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.needs, got, c.want)
		}
	}
}

// demanding adds a repository that asks for resources, and a project of ann's with it.
func (w *world) demanding(needs catalog.Needs) (entry, project string) {
	w.t.Helper()
	w.addEntries(catalog.Resource{ExternalID: "demanding", Type: catalog.Repository, RepositoryURL: "https://github.com/example/demanding", Needs: &needs})
	made, err := w.entries.Create(w.as(w.ann), projects.Draft{Name: "Demanding", RepositoryID: w.id("demanding")})
	check(w.t, err)
	return w.id("demanding"), made.ID
}

type sizedBody struct {
	ID, Code, Message string

	Profile *struct{ Name string }
	Needs   *catalog.Needs
	Lacks   []Lack
}

func TestStartsGetWhatTheEntryAsksFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needs        catalog.Needs
		profile      string
		status       int
		size, code   string
		lacks        []Lack
		sayInMessage string
	}{
		{catalog.Needs{MemoryBytes: 8 * gib}, "", 201, "large", "", nil, ""},
		{catalog.Needs{MemoryBytes: gib}, "", 201, "small", "", nil, ""},
		{catalog.Needs{MemoryBytes: 8 * gib, GPUs: 1}, "small", 201, "small", "", []Lack{"memory", "gpus"}, ""},
		{catalog.Needs{CPUs: 3}, "small", 201, "small", "", []Lack{"cpus"}, ""},
		{catalog.Needs{MemoryBytes: 8 * gib}, "large", 201, "large", "", nil, ""},
		{catalog.Needs{MemoryBytes: 32 * gib}, "", 422, "", "no_profile_fits", nil, "no size of session that your account can choose"},
		{catalog.Needs{GPUs: 5}, "", 422, "", "no_profile_fits", nil, "no size of session here"},
		{catalog.Needs{GPUs: 5}, "large", 201, "large", "", []Lack{"gpus"}, ""},
		{catalog.Needs{GPUs: 5}, "huge", 422, "", "profile_unknown", nil, ""},
	} {
		w, _ := withSizes(t)
		w.service.Limit = 10
		entry, project := w.demanding(c.needs)
		api := w.api()
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
			wanted(what, decode[sizedBody](t, answer), answer.Code)
		}
		query := url.Values{"sessionName": {"Older"}, "profile": {c.profile}}
		answer := call(api, http.MethodGet, "/hub/start/project/"+project+"?"+query.Encode(), "ann")
		body := decode[sizedBody](t, answer)
		if answer.Code == http.StatusOK {
			started := decode[redirectBody](t, answer)
			body = decode[sizedBody](t, call(api, http.MethodGet, "/sessions/"+started.SessionID, "ann"))
		}
		wanted("the older start", body, answer.Code)
	}
}

func TestTheEngineWithASizeThatFits(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, _ := w.demanding(catalog.Needs{GPUs: 1})
	hub := w.service.Engines[0]
	w.service.Engines[0].Profiles = sizes[:1]
	hub.Name, hub.Local = "hub", false
	w.service.Engines = append(w.service.Engines, hub)
	w.service.Limit = 10
	if session := w.startFrom(Wish{ResourceID: entry}); session.Engine != "hub" || session.Profile.Name != "large" {
		t.Errorf("it is on %q in %+v", session.Engine, session.Profile)
	}
	_, err := w.service.StartFrom(w.as(w.ann), Wish{ResourceID: entry, Engine: "local"})
	if fault.CodeOf(err) != fault.NoProfileFits || !strings.Contains(fault.MessageOf(err), "on this engine") {
		t.Errorf("on the engine without: %v", err)
	}
	if session := w.startFrom(Wish{ResourceID: entry, Engine: "local", Profile: "small"}); session.Engine != "local" || !slices.Equal(session.Lacks, []Lack{lacksGPUs}) {
		t.Errorf("in a size that somebody chose: %q, lacks %v", session.Engine, session.Lacks)
	}
}

// What a session was started with stays when the entry asks for something else, and when sizes change.
func TestNeedsOfASessionStay(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, _ := w.demanding(catalog.Needs{MemoryBytes: 8 * gib})
	session := w.startFrom(Wish{ResourceID: entry})
	w.addEntries(catalog.Resource{ExternalID: "demanding", Type: catalog.Repository, RepositoryURL: "https://github.com/example/demanding"})
	less := sizes[1]
	less.Limits.MemoryBytes = 4 * gib
	before := w.service.ListTag(w.as(w.ann), Filter{})
	w.service.Engines[0].Profiles = []Profile{sizes[0], less}
	session, err := w.service.Own(w.as(w.ann), session.ID)
	if err != nil || *session.Needs != (catalog.Needs{MemoryBytes: 8 * gib}) || !slices.Equal(session.Lacks, []Lack{lacksMemory}) {
		t.Errorf("it needs %+v and lacks %v: %v", session.Needs, session.Lacks, err)
	}
	if w.service.ListTag(w.as(w.ann), Filter{}) == before {
		t.Error("the list has the same tag")
	}
	if session = w.startFrom(Wish{ResourceID: entry}); session.Needs != nil || session.Profile.Name != "small" {
		t.Errorf("a new one needs %+v in %+v", session.Needs, session.Profile)
	}
}

func TestSizesOfAnEntry(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, project := w.demanding(catalog.Needs{MemoryBytes: 8 * gib, GPUs: 1})
	api := w.api()
	asked := func(caller, query string) EngineProfiles {
		t.Helper()
		answer := call(api, http.MethodGet, "/sessions/profiles"+query, caller)
		w.wantStatus(query, answer, http.StatusOK)
		return decode[[]EngineProfiles](t, answer)[0]
	}
	if got := asked("ann", ""); !got.Fits || got.Chosen != "small" || got.Needs != nil || got.Profiles[0].Lacks != nil {
		t.Errorf("without an entry: %+v", got)
	}
	for _, query := range []string{"?resourceId=" + entry, "?projectId=" + project} {
		got := asked("ann", query)
		if !got.Fits || got.Chosen != "large" || got.Needs.GPUs != 1 || !slices.Equal(got.Profiles[0].Lacks, []Lack{"memory", "gpus"}) || got.Profiles[1].Lacks != nil {
			t.Errorf("%s: %+v", query, got)
		}
	}
	w.service.Engines[0].Profiles = sizes[:1]
	if got := asked("ann", "?resourceId="+entry); got.Fits || got.Chosen != "" || len(got.Profiles) != 1 {
		t.Errorf("when none fits: %+v", got)
	}
	w.wantStatus("somebody's project", call(api, http.MethodGet, "/sessions/profiles?projectId="+project, "bob"), http.StatusNotFound)
	w.wantStatus("no entry", call(api, http.MethodGet, "/sessions/profiles?resourceId=x", "ann"), http.StatusNotFound)
}

// An entry says beforehand, to each reader, whether a start without a wish would be refused.
func TestEntriesSayThatNoSizeFits(t *testing.T) {
	t.Parallel()
	w, _ := withSizes(t)
	entry, _ := w.demanding(catalog.Needs{MemoryBytes: 32 * gib})
	check(t, w.found.CatchUp(t.Context()))
	for _, c := range []struct {
		caller identity.Caller
		code   fault.Code
	}{{w.ann, fault.NoProfileFits}, {w.operator(), ""}, {identity.Caller{}, ""}} {
		ctx := t.Context()
		if c.caller.Email != "" {
			ctx = w.as(c.caller)
		}
		page, err := w.found.Search(ctx, catalog.Query{Text: "demanding", Limit: 10}, true)
		check(t, err)
		alone, err := w.found.Get(ctx, entry)
		check(t, err)
		for _, got := range append(page.Resources, alone) {
			if got.RunCode != c.code || *got.Runnable != (c.code == "") || (got.RunNote != "") != (c.code != "") || got.Needs == nil {
				t.Errorf("%q sees %q %q", c.caller.Email, got.RunCode, got.RunNote)
			}
		}
		if len(page.Resources) != 1 {
			t.Errorf("found %d entries", len(page.Resources))
		}
	}
	model := catalog.Resource{Type: catalog.Model, Needs: &catalog.Needs{GPUs: 5}}
	(&runnable.Rules{Unfit: func(*catalog.Needs, catalog.Reader) string { return "No." }}).Link().Add(&model, catalog.Reader{})
	if model.RunCode != fault.NotRunnable {
		t.Errorf("a model is refused as %q", model.RunCode)
	}
}

// What nobody in particular starts gets the size that everyone would get.
func TestSizesThatNobodyWishedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large := sizes[1]
	large.For = Audience{}
	entry, _ := w.demanding(catalog.Needs{MemoryBytes: 8 * gib})
	w.keepsWarm(warm.Want{Entry: entry, Count: 1})
	asked := askedEngine{w.service.Engines[0].Engine, &sync.Mutex{}, map[string]engine.Spec{}}
	w.service.Engines[0].Engine, w.service.Engines[0].Profiles = asked, []Profile{sizes[0], sizes[3], large}
	kill := w.run(w.service)
	ready := w.warmUp(1)
	asked.mutex.Lock()
	if got := asked.specs[ready[0].ID].Profile.Name; got != "large" {
		t.Errorf("the warm session has the size %q", got)
	}
	asked.mutex.Unlock()
	if session := w.startFrom(Wish{ResourceID: entry}); session.ID != ready[0].ID || session.Profile.Name != "large" {
		t.Errorf("%s in %+v was started, want the warm session", session.ID, session.Profile)
	}
	kill()
	w.service.Engines[0].Engine = fake.New(w.machine)
	spec, err := w.service.BatchSpec(t.Context(), "id", entry, "", "", false)
	if err != nil || spec.Profile.Name != "large" {
		t.Errorf("a run has %+v: %v", spec.Profile, err)
	}
	if spec, err = w.service.BatchSpec(t.Context(), "id", w.id("tools"), "", "", false); err != nil || spec.Profile != (engine.Profile{}) {
		t.Errorf("a run of an entry that asks for nothing has %+v: %v", spec.Profile, err)
	}
	w.addEntries(catalog.Resource{ExternalID: "demanding", Type: catalog.Repository, RepositoryURL: "https://github.com/example/demanding", Needs: &catalog.Needs{GPUs: 5}})
	if _, err := w.service.BatchSpec(t.Context(), "id", entry, "", "", false); fault.CodeOf(err) != fault.NoProfileFits {
		t.Errorf("a run that needs more than there is: %v", err)
	}
}
