package sessions_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// post asks for a session as a person.
func post(t *testing.T, handler http.Handler, caller string, body map[string]string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	content, err := json.Marshal(body)
	sessionstest.Check(t, err)
	request := httptest.NewRequest(http.MethodPost, httpapi.Base+"/sessions/", strings.NewReader(string(content)))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Test-Caller", caller)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

type startedBody struct {
	ID, SessionName, Status, OpenURL string

	Project  struct{ ID, Name string }
	Resource *struct{ ID, Name, Type string }
	Limits   struct{ MemoryBytes int64 }
}

func TestASessionStartsFromARepository(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Server.Engines.All[0].Limits = sizes.Limits{MemoryBytes: 1 << 30}
		api := w.API()
		answer := post(t, api, "ann", map[string]string{"resourceId": w.ID("tools"), "file": "./a b/#1 ?.ipynb"})
		w.WantStatus("start", answer, http.StatusCreated)
		if got := answer.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control is %q: a kept answer would hold a used ticket", got)
		}
		body := sessionstest.Decode[startedBody](t, answer)
		if !strings.HasPrefix(body.OpenURL, "http://s-"+body.ID+".localhost:8081/.cairn/s/"+body.ID+"/enter?ticket=") {
			t.Errorf("the way in is %q", body.OpenURL)
		}
		if body.SessionName != "Entry tools" || body.Status != "CREATED" || body.Limits.MemoryBytes != 1<<30 {
			t.Errorf("got %+v", body)
		}
		if r := body.Resource; r == nil || r.ID != w.ID("tools") || r.Name != "Entry tools" || r.Type != "REPOSITORY" || body.Project.ID != "" || body.Project.Name != "Entry tools" {
			t.Errorf("it was started from %+v, project %+v", r, body.Project)
		}
		row := w.Row(body.ID)
		if row.Source.File != "a b/#1 ?.ipynb" {
			t.Errorf("it opens %q", row.Source.File)
		}
		if spec := w.SpecOf(row); spec.Repository.URL != "https://github.com/example/tools.git" || len(spec.Datasets) != 0 || spec.Validate() != nil {
			t.Errorf("the engine is asked for %+v: %v", spec, spec.Validate())
		}
	})
}

func TestOnlyTheKeyRepeatsAStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Limit = 100
	api := w.API()
	for _, from := range []map[string]string{{"resourceId": w.ID("tools")}, {"projectId": w.Projects["notes"], "name": "Same"}} {
		first := sessionstest.Decode[startedBody](t, post(t, api, "ann", from, "Idempotency-Key", "key "+from["name"]))
		again := sessionstest.Decode[startedBody](t, post(t, api, "ann", from, "Idempotency-Key", "key "+from["name"]))
		if first.ID == "" || again.ID != first.ID || again.OpenURL == first.OpenURL {
			t.Errorf("the same key gave %+v after %+v: want the same session and another ticket", again, first)
		}
		other := sessionstest.Decode[startedBody](t, post(t, api, "ann", from, "Idempotency-Key", "another "+from["name"]))
		without := sessionstest.Decode[startedBody](t, post(t, api, "ann", from))
		if other.ID == first.ID || without.ID == "" || without.ID == other.ID || without.ID == first.ID {
			t.Errorf("sessions %s, %s and %s, want three", first.ID, other.ID, without.ID)
		}
		stranger := sessionstest.Decode[startedBody](t, post(t, api, "bob", map[string]string{"resourceId": w.ID("tools")}, "Idempotency-Key", "key "+from["name"]))
		if stranger.ID == first.ID {
			t.Errorf("another account got the session of the key")
		}
	}
	var names []string
	list, err := w.Server.List(w.As(w.Ann), sessions.Filter{})
	sessionstest.Check(t, err)
	for _, session := range list {
		names = append(names, session.SessionName)
	}
	for _, want := range []string{"Entry tools", "Entry tools (2)", "Entry tools (3)"} {
		if count := strings.Count("|"+strings.Join(names, "|")+"|", "|"+want+"|"); count != 1 {
			t.Errorf("%d sessions are called %q: %q", count, want, names)
		}
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AddEntries(
		catalog.Entry{ExternalID: "hidden tools", Type: catalog.Repository, RepositoryURL: "https://github.com/example/hidden", Privacy: catalog.PrivacyPrivate},
		catalog.Entry{ExternalID: "in R", Type: catalog.Notebook, NotebookPath: "https://example.org/r.ipynb"},
		catalog.Entry{ExternalID: "absent", Type: catalog.Notebook, NotebookPath: "https://example.org/absent.ipynb"},
		catalog.Entry{ExternalID: "model", Type: catalog.Model, ApplicationInterfaceID: "m"},
	)
	api := w.API()
	type problem struct {
		Code, Message string
		Errors        []struct{ Location string }
	}
	for what, c := range map[string]struct {
		body     map[string]string
		status   int
		code     string
		message  string // contained in the answer's; empty where another test asserts the sentence
		location string
	}{
		"nothing":                    {map[string]string{}, 422, "invalid", "an entry (resourceId), a project (projectId) or a version", "body.resourceId"},
		"both":                       {map[string]string{"resourceId": w.ID("tools"), "projectId": w.Projects["notes"]}, 422, "invalid", "Name what to start", "body.resourceId"},
		"an unknown entry":           {map[string]string{"resourceId": sqldb.NewID()}, 404, "not_found", "", ""},
		"no id":                      {map[string]string{"resourceId": "' OR 1=1"}, 404, "not_found", "", ""},
		"somebody's private entry":   {map[string]string{"resourceId": w.ID("hidden tools")}, 404, "not_found", "", ""},
		"somebody's project":         {map[string]string{"projectId": w.Projects["bob's"]}, 404, "not_found", "", ""},
		"a project without its part": {map[string]string{"projectId": w.Projects["hidden part"]}, 409, "part_missing", "", ""},
		"a model":                    {map[string]string{"resourceId": w.ID("model")}, 422, "not_runnable", "", ""},
		"a dataset without data":     {map[string]string{"resourceId": w.ID("missing")}, 422, "not_runnable", "", ""},
		"a notebook in R":            {map[string]string{"resourceId": w.ID("in R")}, 422, "language_missing", "r-cran-irkernel", ""},
		"a notebook that is gone":    {map[string]string{"resourceId": w.ID("absent")}, 404, "not_found", "There is no notebook at its address.", ""},
		"a file of a dataset":        {map[string]string{"resourceId": w.ID("spikes"), "file": "a.ipynb"}, 422, "invalid", "Only sessions of repositories", "body.file"},
		"a ref of a dataset":         {map[string]string{"resourceId": w.ID("spikes"), "ref": "main"}, 422, "invalid", "Only repositories have branches", "body.ref"},
		"an unknown engine":          {map[string]string{"resourceId": w.ID("tools"), "engine": "mainframe"}, 422, "engine_unknown", "choose one of: local", "body.engine"},
		"a name of two lines":        {map[string]string{"resourceId": w.ID("tools"), "name": "a\nb"}, 422, "invalid", "one line of text", "body.name"},
		"a file above":               {map[string]string{"resourceId": w.ID("tools"), "file": "../secret"}, 422, "invalid", `"../secret" isn't the path of a file`, "body.file"},
		"an absolute file":           {map[string]string{"resourceId": w.ID("tools"), "file": "/etc/passwd"}, 422, "invalid", "isn't the path of a file", "body.file"},
		"the folder itself":          {map[string]string{"resourceId": w.ID("tools"), "file": "./"}, 422, "invalid", "isn't the path of a file", "body.file"},
		"an option as a ref":         {map[string]string{"resourceId": w.ID("tools"), "ref": "--upload-pack=x"}, 422, "ref_not_found", "", ""},
		"an expression as a ref":     {map[string]string{"resourceId": w.ID("tools"), "ref": "main@{1}"}, 422, "ref_not_found", "", ""},
	} {
		answer := post(t, api, "ann", c.body)
		w.WantStatus(what, answer, c.status)
		got := sessionstest.Decode[problem](t, answer)
		location := ""
		if len(got.Errors) > 0 {
			location = got.Errors[0].Location
		}
		if got.Code != c.code || !strings.Contains(got.Message, c.message) || location != c.location {
			t.Errorf("%s: got %+v", what, got)
		}
	}
	w.WantStatus("without an account", post(t, api, "", map[string]string{"resourceId": w.ID("tools")}), http.StatusUnauthorized)
	w.WantStatus("before being enabled", post(t, api, "newbie", map[string]string{"resourceId": w.ID("tools")}), http.StatusForbidden)
	if list, err := w.Server.List(w.As(w.Ann), sessions.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("there are %v, %v", list, err)
	}
	w.WantStatus("their authors' own", post(t, api, "bob", map[string]string{"resourceId": w.ID("hidden tools")}), http.StatusCreated)
	w.WantStatus("a published project", post(t, api, "bob", map[string]string{"projectId": w.Projects["shared"]}), http.StatusCreated)
}

// An entry that its session's owner may no longer see isn't launched again.
func TestAnEntryThatBecomesHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AddEntries(catalog.Entry{ExternalID: "turning", Type: catalog.Repository, RepositoryURL: "https://github.com/example/turning"})
	session, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("turning")})
	sessionstest.Check(t, err)
	w.AddEntries(catalog.Entry{ExternalID: "turning", Type: catalog.Repository, RepositoryURL: "https://github.com/example/turning", Privacy: catalog.PrivacyPrivate})
	w.Run(w.Server)
	if got := w.WaitFor(session.ID, sessions.Failed).StatusReason; !strings.HasPrefix(got, `The repository "Entry turning" isn't available: it is gone`) {
		t.Errorf("the reason is %q", got)
	}
}

func TestTheFileOfASessionOpensInItsApplication(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools"), File: "notes/\u05e9\u05dc\u05d5\u05dd #1 ?&+=%.ipynb"})
	sessionstest.Check(t, err)
	w.Launched(session.ID)
	w.Machine.Put(session.ID, "tools/notes/\u05e9\u05dc\u05d5\u05dd #1 ?&+=%.ipynb", "{}")
	w.Machine.Ready(session.ID)
	session = w.WaitFor(session.ID, sessions.Running)
	if session.Opens != "tools/notes/\u05e9\u05dc\u05d5\u05dd #1 ?&+=%.ipynb" || session.OpenNote != "" {
		t.Errorf("it opens %q with the note %q", session.Opens, session.OpenNote)
	}
	cookie := w.Enter(session, w.Ann)
	answer := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/launch", "Cookie", cookie)
	want := "/s/" + session.ID + "/notebooks/tools/notes/%D7%A9%D7%9C%D7%95%D7%9D%20%231%20%3F&+=%25.ipynb"
	if got := answer.Header().Get("Location"); got != want {
		t.Errorf("it leads to %q, want %q", got, want)
	}
	w.Visit(http.MethodGet, w.Origin(session)+want, "Cookie", cookie)
	if got := w.Upstream.Last(t).URL.Path; got != "/s/"+session.ID+"/notebooks/"+session.Opens {
		t.Errorf("Jupyter is asked for %q", got)
	}
}

// The address fits the Jupyter that runs the session, also where a link was made while another one did.
func TestTheFileOfASessionOpensInJupyterLab(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("tools")})
	sessionstest.Check(t, err)
	cookie, inside := "", "/s/"+session.ID+"/"
	for _, c := range []struct {
		shown           engine.Interface
		page, next, was string
	}{
		{engine.Lab, "lab/tree/tools/README.md", "lab/tree/a%20%231.ipynb", "notebooks/a #1.ipynb"},
		{engine.Classic, "edit/tools/README.md", "notebooks/a%20%231.ipynb", "lab/tree/a #1.ipynb"},
	} {
		w.Launched(session.ID)
		w.Machine.Show(session.ID, c.shown)
		w.Machine.Ready(session.ID)
		session = w.WaitFor(session.ID, sessions.Running)
		if cookie == "" {
			cookie = w.Enter(session, w.Ann)
		}
		launch := w.Origin(session) + "/.cairn/s/" + session.ID + "/launch"
		for address, want := range map[string]string{launch: c.page, launch + "?next=" + url.QueryEscape(inside+c.was): c.next} {
			if got := w.Visit(http.MethodGet, address, "Cookie", cookie).Header().Get("Location"); got != inside+want {
				t.Errorf("%s leads to %q, want %q", c.shown, got, inside+want)
			}
		}
		page := w.Visit(http.MethodGet, w.Origin(session)+"/.cairn/s/"+session.ID+"/signed-in"+"/"+(&url.URL{Path: c.was}).EscapedPath(), "Cookie", cookie).Body.String()
		if !strings.Contains(page, `href="`+inside+c.next+`"`) {
			t.Errorf("after a sign-in the page leads to %s", page)
		}
		w.Machine.End(session.ID, true, "")
		w.WaitFor(session.ID, sessions.Finished)
		_, err = w.Server.Restart(w.As(w.Ann), session.ID)
		sessionstest.Check(t, err)
	}
}

func TestAMissingFileIsNoted(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ProjectID: w.Projects["notes"], File: "gone.ipynb"})
	sessionstest.Check(t, err)
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running)
	body := sessionstest.Decode[struct{ Opens, OpenNote string }](t, sessionstest.Call(w.API(), http.MethodGet, "/sessions/"+session.ID, "ann"))
	if body.Opens != "tools/README.md" || body.OpenNote != `The repository doesn't have a file "gone.ipynb".` {
		t.Errorf("got %+v", body)
	}
}

func TestASessionStartsFromANotebookOrADataset(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	w.AddEntries(catalog.Entry{ExternalID: "walk", Type: catalog.Notebook, NotebookPath: "https://example.org/a/random%20walk%20%231.ipynb?raw=1"})
	w.AddEntries(catalog.Entry{ExternalID: "shipped", Type: catalog.Notebook, NotebookPath: "bundled:first.ipynb"})
	for _, c := range []struct {
		entry, opens, page string
		trusted            bool
	}{
		{"walk", "random walk #1.ipynb", "random%20walk%20%231.ipynb", false},
		{"spikes", "explore.ipynb", "explore.ipynb", false},
		{"shipped", "first.ipynb", "first.ipynb", true},
	} {
		session, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID(c.entry)})
		sessionstest.Check(t, err)
		w.Launched(session.ID)
		w.Machine.Ready(session.ID)
		session = w.WaitFor(session.ID, sessions.Running)
		if session.Opens != c.opens || session.OpenNote != "" || session.Project.Repository != (sessions.Part{}) {
			t.Errorf("%s: %+v", c.entry, session)
		}
		if spec := w.SpecOf(session); spec.Repository != (engine.Repository{}) || len(spec.Datasets) != len(session.Project.Datasets) {
			t.Errorf("%s: the engine is asked for %+v", c.entry, spec)
		}
		if got := session.ReadyPath(); got != "/s/"+session.ID+"/notebooks/"+c.page {
			t.Errorf("%s opens at %q", c.entry, got)
		}
		spec := w.SpecOf(session)
		if spec.Notebook.Name != c.opens || spec.Notebook.Content != nil || spec.Trusted != c.trusted {
			t.Errorf("%s: a later start brings %q with %d bytes, trusted %v", c.entry, spec.Notebook.Name, len(spec.Notebook.Content), spec.Trusted)
		}
	}
}

// hosted are the repositories of the tests at github.com; each has the branch main alone.
func hosted() *codehost.Hosts {
	return codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.Bundled{"example/tools": fstest.MapFS{}}}, nil)
}

func TestASessionStartsFromANotebookAtACodeHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Limit, w.Server.Resolver.Hosts = 100, hosted()
	w.AddEntries(
		catalog.Entry{ExternalID: "hosted", Type: catalog.Notebook, NotebookPath: "https://github.com/example/tools/blob/main/docs/a%20b%23.ipynb?plain=1"},
		catalog.Entry{ExternalID: "at a commit", Type: catalog.Notebook, NotebookPath: "https://github.com/example/tools/blob/0123abc/docs/a.ipynb"},
		catalog.Entry{ExternalID: "at the default branch", Type: catalog.Notebook, NotebookPath: "https://github.com/example/tools/blob/HEAD/docs/a.ipynb"},
		catalog.Entry{ExternalID: "elsewhere", Type: catalog.Notebook, NotebookPath: "https://gitlab.example/example/tools/-/blob/main/docs/a.ipynb"},
		catalog.Entry{ExternalID: "missing notebook", Type: catalog.Notebook, NotebookPath: "https://github.com/example/tools/blob/main/absent.ipynb"},
	)
	type opening struct{ address, ref, open, notebook string }
	for _, c := range []struct {
		wish sessions.StartRequest
		want opening
	}{
		{sessions.StartRequest{ResourceID: w.ID("hosted")}, opening{"https://github.com/example/tools", "main", "docs/a b#.ipynb", ""}},
		{sessions.StartRequest{ResourceID: w.ID("at a commit")}, opening{"https://github.com/example/tools", "0123abc", "docs/a.ipynb", ""}},
		{sessions.StartRequest{ResourceID: w.ID("at the default branch")}, opening{"https://github.com/example/tools", "", "docs/a.ipynb", ""}},
		{sessions.StartRequest{ResourceID: w.ID("hosted"), Ref: "0123abc", File: "b.ipynb"}, opening{"https://github.com/example/tools", "0123abc", "b.ipynb", ""}},
		{sessions.StartRequest{ResourceID: w.ID("missing notebook")}, opening{"https://github.com/example/tools", "main", "absent.ipynb", ""}},
		{sessions.StartRequest{ResourceID: w.ID("elsewhere")}, opening{"", "", "", "a.ipynb"}},
	} {
		session, err := w.Server.StartFrom(w.As(w.Ann), c.wish)
		sessionstest.Check(t, err)
		spec := w.SpecOf(session)
		got := opening{spec.Repository.URL, spec.Repository.Ref, spec.Open, spec.Notebook.Name}
		if got != c.want || spec.Validate() != nil {
			t.Errorf("%+v: the engine is asked for %+v, want %+v (%v)", c.wish, got, c.want, spec.Validate())
		}
	}
}

// What a session would leave out is known before it starts, to everybody who sees the entry.
func TestEnvironmentIsForeseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Resolver.Hosts = codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.Bundled{"example/wishes": fstest.MapFS{
		"cairn.yml":              {Data: []byte("project: {name: Wishes}")},
		"requirements.txt":       {Data: []byte("never-read")}, // the folder binder counts instead
		"binder/environment.yml": {Data: []byte("dependencies: [numpy, nest-simulator, {pip: [scipy==1.2]}]")},
		"binder/apt.txt":         {Data: []byte("graphviz")},
		"binder/postBuild":       {Data: bytes.Repeat([]byte("long"), sessions.DeclaredLimit)},
	}}}, nil)
	w.AddEntries(
		catalog.Entry{ExternalID: "wishes", Type: catalog.Repository, RepositoryURL: "https://github.com/example/wishes"},
		catalog.Entry{ExternalID: "a notebook of it", Type: catalog.Notebook, NotebookPath: "https://github.com/example/wishes/blob/main/a.ipynb"},
		catalog.Entry{ExternalID: "elsewhere", Type: catalog.Repository, RepositoryURL: "https://gitlab.example/group/wishes"},
		catalog.Entry{ExternalID: "gone", Type: catalog.Repository, RepositoryURL: "https://github.com/example/gone"},
	)
	for _, entry := range []string{"wishes", "a notebook of it"} {
		found, err := w.Server.Environment(t.Context(), w.ID(entry))
		sessionstest.Check(t, err)
		var left []string
		for _, one := range found.LeftOut {
			left = append(left, one.What)
		}
		if !slices.Equal(found.Files, []string{"binder/apt.txt", "binder/environment.yml", "cairn.yml"}) || !slices.Contains(found.Packages, "scipy==1.2") ||
			!slices.Contains(left, "graphviz (apt)") || !slices.Contains(left, "binder/postBuild") {
			t.Errorf("%s: %+v", entry, found)
		}
	}
	for _, entry := range []string{"gone", "elsewhere"} {
		if found, err := w.Server.Environment(t.Context(), w.ID(entry)); err != nil || found.Files == nil || len(found.LeftOut) > 0 {
			t.Errorf("%s: %+v, %v", entry, found, err)
		}
	}
	if _, err := w.Server.Environment(t.Context(), "01900000-0000-7000-8000-000000000000"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an entry that doesn't exist: %v", err)
	}
}

func TestAnUnknownRefIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Resolver.Hosts = hosted()
	w.AddEntries(
		catalog.Entry{ExternalID: "old", Type: catalog.Notebook, NotebookPath: "https://github.com/example/tools/blob/v9/docs/a.ipynb"},
		catalog.Entry{ExternalID: "R at a host", Type: catalog.Notebook, NotebookPath: "https://github.com/example/tools/blob/main/r.ipynb"},
	)
	api := w.API()
	for what, c := range map[string]struct {
		body          map[string]string
		code, message string
	}{
		"of a repository":    {map[string]string{"resourceId": w.ID("tools"), "ref": "v9"}, "ref_not_found", `The repository has no branch, tag or commit "v9". It has "main".`},
		"of a project":       {map[string]string{"projectId": w.Projects["bare"], "ref": "feature/x"}, "ref_not_found", `The repository has no branch, tag or commit "feature/x". It has "main".`},
		"of a notebook":      {map[string]string{"resourceId": w.ID("old")}, "ref_not_found", `The repository has no branch, tag or commit "v9". It has "main".`},
		"another language":   {map[string]string{"resourceId": w.ID("R at a host")}, "language_missing", ""},
		"a ref of an option": {map[string]string{"resourceId": w.ID("tools"), "ref": "-b"}, "ref_not_found", `"-b" isn't the name of a branch, tag or commit.`},
	} {
		answer := post(t, api, "ann", c.body)
		w.WantStatus(what, answer, http.StatusUnprocessableEntity)
		if got := sessionstest.Decode[struct{ Code, Message string }](t, answer); got.Code != c.code || c.message != "" && got.Message != c.message {
			t.Errorf("%s: %+v", what, got)
		}
	}
}
