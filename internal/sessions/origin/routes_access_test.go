package origin_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

// GHSA-xr38-w74q-r8jv, CVE-2023-32321, CVE-2023-27578, CVE-2024-42351: calls that did not ask whose object it is.
func TestWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Limit = 100
	w.Run(w.Server)
	api := w.API()
	for _, route := range []struct {
		method, path string
		stranger     int
		owner        int
	}{
		{http.MethodGet, "/hub/start/project/PROJECT?sessionName=New", http.StatusNotFound, http.StatusOK},
		{http.MethodGet, "/hub/resume/session/SESSION", http.StatusNotFound, http.StatusOK},
		{http.MethodGet, "/sessions", http.StatusOK, http.StatusOK},
		{http.MethodGet, "/sessions?status=RUNNING", http.StatusOK, http.StatusOK},
		{http.MethodGet, "/sessions/SESSION", http.StatusNotFound, http.StatusOK},
		{http.MethodGet, "/sessions/SESSION/log", http.StatusNotFound, http.StatusOK},
		{http.MethodPatch, "/sessions/SESSION?status=TERMINATED", http.StatusNotFound, http.StatusOK},
		{http.MethodPatch, "/sessions/SESSION?status=CREATED", http.StatusNotFound, http.StatusOK},
		{http.MethodDelete, "/sessions/SESSION", http.StatusNotFound, http.StatusOK},
		{http.MethodDelete, "/sessions/delete/SESSION", http.StatusNotFound, http.StatusOK},
		{http.MethodDelete, "/sessions/access", http.StatusOK, http.StatusOK},
	} {
		for _, slash := range []string{"", "/"} {
			session := w.Settled(route.method+route.path+slash, sessions.Finished)
			path := strings.NewReplacer("PROJECT", w.Projects["notes"], "SESSION", session.ID).Replace(route.path)
			address, query, _ := strings.Cut(path, "?")
			path = strings.TrimSuffix(address+slash+"?"+query, "?")

			anonymous := sessionstest.Call(api, route.method, path, "")
			w.WantStatus("anonymous "+route.method+" "+path, anonymous, http.StatusUnauthorized)
			if anonymous.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: the 401 does not say how to authenticate", route.method, path)
			}
			stranger := sessionstest.Call(api, route.method, path, "bob")
			w.WantStatus("stranger "+route.method+" "+path, stranger, route.stranger)
			if strings.Contains(stranger.Body.String(), session.ID) || strings.Contains(stranger.Body.String(), "ann@") {
				t.Errorf("%s %s tells a stranger %s", route.method, path, stranger.Body)
			}
			if got := w.Row(session.ID); got.Status != sessions.Finished || got.RequestedStatus != "" {
				t.Fatalf("%s %s: a stranger made it %s %s", route.method, path, got.Status, got.RequestedStatus)
			}
			w.WantStatus("owner "+route.method+" "+path, sessionstest.Call(api, route.method, path, "ann"), route.owner)
		}
	}
}

// Where a token is needed, strangers learn nothing from errors about what they typed.
func TestAnonymousCallersAreRefusedBeforeAnythingIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	api := w.API()
	for _, path := range []string{
		"GET /hub/start/project/nonsense", "GET /hub/resume/session/nonsense", "GET /sessions?status=NONSENSE", "GET /sessions/nonsense",
		"PATCH /sessions/nonsense", "PATCH /sessions/nonsense?status=NONSENSE", "DELETE /sessions/nonsense", "DELETE /sessions/delete/,",
	} {
		method, path, _ := strings.Cut(path, " ")
		w.WantStatus(method+" "+path, sessionstest.Call(api, method, path, "", "Idempotency-Key", strings.Repeat("k", 1000)), http.StatusUnauthorized)
	}
}
