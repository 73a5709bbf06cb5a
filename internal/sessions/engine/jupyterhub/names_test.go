package jupyterhub_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub"
)

// askAsBefore asks the hub for a server as was done when servers bore their session's id and options were the whole body.
func (s *standIn) askAsBefore() engine.Spec {
	s.Helper()
	spec := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: engine.Repository{URL: "https://example.org/ann/notes", Folder: "notes"}}
	options, err := json.Marshal(jupyterhub.Permit(hubToken, spec, 1, time.Now()))
	if err != nil {
		s.Fatal(err)
	}
	user := s.options.URL + "/hub/api/users/ann%40example.org"
	exchange(s.T, http.MethodPost, user, "")
	if status, body := exchange(s.T, http.MethodPost, user+"/servers/"+spec.ID, string(options)); status != http.StatusAccepted {
		s.Fatalf("%d %s", status, body)
	}
	return spec
}

// expectServers expects the hub to have exactly these, up or on their way.
func (s *standIn) expectServers(names ...string) {
	s.Helper()
	if got := s.hub.Servers(); !slices.Equal(got, names) {
		s.Errorf("the hub has the servers %q, want %q", got, names)
	}
}

// A session that was started before servers had short names goes on under its old one, also on a hub that refuses such names
// to others, until that hub has forgotten it.
func TestServersOfBeforeAreAdopted(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]bool{"with its record": true, "without a record": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t, 0)
			spec := s.askAsBefore()
			if record {
				content, err := json.Marshal(map[string]any{"Spec": spec, "Task": "launch", "Phase": engine.Starting, "Launch": 1, "Asked": true})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.options.Records.Save(t.Context(), spec.ID, 0, content); err != nil {
					t.Fatal(err)
				}
			}
			runs := func() bool {
				status, err := s.engine.Status(t.Context(), spec.ID)
				return err == nil && status.Phase == engine.Running
			}
			start := func() {
				t.Helper()
				if err := s.engine.Start(t.Context(), spec); err != nil {
					t.Fatal(err)
				}
				s.eventually("it runs", runs)
			}
			stop := func() {
				t.Helper()
				if err := s.engine.Stop(t.Context(), spec.ID); err != nil {
					t.Fatal(err)
				}
				s.expectServers()
			}
			s.eventually("it is adopted", runs)
			s.hub.Upgrade()
			target, err := s.engine.Target(t.Context(), spec.ID)
			if err != nil || target.Base != "/user/ann@example.org/"+spec.ID+"/" {
				t.Errorf("the way in is %+v, %v", target, err)
			}
			if all, err := s.engine.List(t.Context()); err != nil || len(all) != 1 || all[0].ID != spec.ID || all[0].Phase != engine.Running {
				t.Errorf("listed are %+v, %v", all, err)
			}
			s.expectServers(spec.ID)
			stop()
			start()
			s.expectServers(spec.ID)
			stop()
			exchange(t, http.MethodDelete, s.options.URL+"/hub/api/users/ann%40example.org/servers/"+spec.ID, `{"remove": true}`)
			start()
			s.expectServers(engine.ServerName(spec.ID))
			if err := s.engine.Remove(t.Context(), spec.ID); err != nil {
				t.Fatal(err)
			}
			s.expectServers()
			if s.hub.Tokens() != 0 {
				t.Errorf("%d tokens are left", s.hub.Tokens())
			}
		})
	}
}
