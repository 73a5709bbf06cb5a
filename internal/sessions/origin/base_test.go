package origin_test

import (
	"context"
	"net/http"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
)

// elsewhere is an engine whose servers keep their pages below paths of their own, as hubs do.
type elsewhere struct {
	engine.Engine

	nameOf func(id string) string
}

func (e elsewhere) Target(ctx context.Context, id string) (engine.Target, error) {
	target, err := e.Engine.Target(ctx, id)
	target.Base = e.baseOf(id)
	return target, err
}

func (e elsewhere) baseOf(id string) string { return "/hub/user/ann@example.org/" + e.nameOf(id) + "/" }

func TestServersThatKeepTheirPagesElsewhere(t *testing.T) {
	t.Parallel()
	itself := func(id string) string { return id }
	for _, at := range []struct {
		form   string
		nameOf func(id string) string
	}{{sessionstest.HostForm, engine.ServerName}, {sessionstest.HostForm, itself}, {sessionstest.PathForm, engine.ServerName}, {sessionstest.PathForm, itself}} {
		w := newWorld(t)
		w.Options.Address = sessionstest.AddressOf(t, at.form)
		w.Server = w.NewService()
		servers := elsewhere{w.Server.Engines.All[0].Engine, at.nameOf}
		w.Server.Engines.All[0].Engine = servers
		w.Run(w.Server)
		session := w.Running("Session")
		cookie, site := w.Enter(session, w.Ann), w.Origin(session)
		visit := func(method, path string, more ...string) (status int, location string) {
			answer := w.Visit(method, site+path, append([]string{"Cookie", cookie, "Origin", site, "Accept", "text/html"}, more...)...)
			return answer.Code, answer.Header().Get("Location")
		}
		base, lasting := servers.baseOf(session.ID), "/s/"+session.ID+"/"
		if status, location := visit(http.MethodGet, lasting+"notebooks/a%2Fb.ipynb?token=x&y=1"); status != http.StatusFound || location != base+"notebooks/a%2Fb.ipynb?y=1" {
			t.Errorf("the lasting address leads by %d to %q", status, location)
		}
		if status, _ := visit(http.MethodPost, base+"api/kernels"); status != http.StatusOK {
			t.Errorf("a call gets %d", status)
		} else if got := w.Upstream.Last(t); got.URL.EscapedPath() != base+"api/kernels" || got.Method != http.MethodPost {
			t.Errorf("%s %s reached the session", got.Method, got.URL.EscapedPath())
		}
		for name, path := range map[string]string{
			"another user's": "/hub/user/bob@example.org/" + at.nameOf(session.ID) + "/tree", "the hub itself": "/hub/api/users", "another place": "/" + at.nameOf(session.ID) + "/x",
			"out of it": base + "%2e%2e/%2e%2e/api", "out of it, half": base + "a/%2e%2e/b", "a session of nobody": servers.baseOf("01a1ff5d-926e-78b3-a71f-9ff809b050ef"),
		} {
			if status, _ := visit(http.MethodGet, path); status != http.StatusNotFound && status != http.StatusUnauthorized {
				t.Errorf("%s: %d", name, status)
			}
		}
		if status, _ := visit(http.MethodPost, lasting+"api/kernels"); status != http.StatusNotFound {
			t.Errorf("a call to the lasting address gets %d", status)
		}
		w.WantStatus("a foreign page's call", w.Visit(http.MethodPost, site+base+"api/kernels", "Cookie", cookie, "Origin", "https://evil.example"), http.StatusForbidden)
		w.WantStatus("a stranger", w.Visit(http.MethodGet, site+base+"tree"), http.StatusUnauthorized)

		w.answers(http.StatusOK, shell, "Content-Type", "text/html")
		if page := w.Visit(http.MethodGet, site+base+"notebooks/a.ipynb", "Cookie", cookie).Body.String(); page != shell+scriptTag(session) {
			t.Errorf("its page is %q", page)
		}
		if file := w.Visit(http.MethodGet, site+base+"files/tree/a.html", "Cookie", cookie).Body.String(); file != shell {
			t.Errorf("a user's file is %q", file)
		}

		if _, err := w.Server.Terminate(w.As(w.Ann), session.ID); err != nil {
			t.Fatal(err)
		}
		want := "/.cairn/s/" + session.ID + "/launch?next=%2Fs%2F" + session.ID + "%2Fnotebooks%2Fa.ipynb"
		if status, location := visit(http.MethodGet, base+"notebooks/a.ipynb"); status != http.StatusFound || location != want {
			t.Errorf("once it has ended, its address leads by %d to %q", status, location)
		}
	}
}
