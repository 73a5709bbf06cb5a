package jupyterhub_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// compared is the user by whom two hubs are compared.
const compared = "eve@example.org"

// compareHubs asks a real hub and the stand-in the same and compares status and shape of what they answer.
func compareHubs(t *testing.T, original *realhub.Hub, repository engine.Repository, standIn string) {
	t.Helper()
	id := newID()
	spec := engine.Spec{ID: id, Owner: compared, Repository: repository}
	options, err := json.Marshal(jupyterhub.Permit(hubToken, spec, 1, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	user := "/hub/api/users/eve%40example.org"
	one := user + "/servers/" + id
	type step struct {
		method, path, body string
		until              string // ask until the answer holds this
	}
	steps := []step{
		{method: "GET", path: "/hub/api/"},
		{method: "GET", path: "/hub/api/user"},
		{method: "GET", path: user},
		{method: "POST", path: one, body: "{}"},
		{method: "POST", path: user},
		{method: "POST", path: user},
		{method: "DELETE", path: one},
		{method: "GET", path: one + "/progress"},
		{method: "POST", path: one, body: string(options)},
		{method: "POST", path: one},
		{method: "DELETE", path: one},
		{method: "GET", path: one + "/progress"},
		{method: "GET", path: one + "/progress", until: `"ready":true`},
		{method: "POST", path: one},
		{method: "GET", path: "/hub/api/users?state=active&limit=200&offset=0"},
		{method: "GET", path: user + "?include_stopped_servers=1"},
		{method: "POST", path: user + "/tokens", body: `{"note": "x", "expires_in": 60, "scopes": ["access:servers!server=eve@example.org/` + id + `"]}`},
		{method: "GET", path: user + "/tokens"},
		{method: "DELETE", path: user + "/tokens/a999"},
		{method: "DELETE", path: one},
		{method: "DELETE", path: one},
		{method: "GET", path: user + "?include_stopped_servers=1"},
		{method: "DELETE", path: one, body: `{"remove": true}`},
		{method: "DELETE", path: one, body: `{"remove": true}`},
		{method: "GET", path: "/services/cairn-work/"},
		{method: "DELETE", path: "/services/cairn-work/" + id},
		{method: "DELETE", path: user},
		{method: "DELETE", path: user},
	}
	// One after the other: what is still starting at the next step must not depend on how long the other one takes.
	shapes := map[string][]string{}
	for name, address := range map[string]string{"hub": original.URL(), "stand-in": standIn} {
		for _, step := range steps {
			status, body := 0, ""
			original.Eventually(name+": "+step.path, func() bool {
				status, body = exchange(t, step.method, address+step.path, step.body)
				if strings.Contains(body, `"failed"`) {
					t.Fatalf("%s: %s", name, body)
				}
				return step.until == "" || strings.Contains(strings.ReplaceAll(body, `": `, `":`), step.until)
			})
			shapes[name] = append(shapes[name], fmt.Sprint(status, " ", shapeOf(body)))
		}
	}
	for i, step := range steps {
		if genuine, imitated := shapes["hub"][i], shapes["stand-in"][i]; genuine != imitated {
			t.Errorf("%s %s:\n hub      %s\n stand-in %s", step.method, step.path, genuine, imitated)
		}
	}
}

func exchange(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "token "+hubToken)
	request.Header.Set("Accept", "application/jupyterhub-pagination+json, application/json, text/event-stream")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// shapeOf returns the keys of a JSON text, those of a stream the keys of its last event. Keys that are ids are all the same,
// and so are the things that the real hub tells and nobody reads.
func shapeOf(body string) string {
	if events := strings.Split(strings.TrimSpace(body), "data: "); len(events) > 1 {
		body = events[len(events)-1]
	}
	var value any
	if json.Unmarshal([]byte(strings.TrimSpace(body)), &value) != nil {
		return ""
	}
	return shape(value)
}

func shape(value any) string {
	switch value := value.(type) {
	case map[string]any:
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if _, err := uuid.Parse(key); err == nil {
				keys = append(keys, "ID:"+shape(value[key]))
				continue
			}
			if key == "usage" { // unknown until the hub looks for the first time
				keys = append(keys, key)
				continue
			}
			if key != "user_options" && key != "scopes" && key != "pid" && key != "api_tokens" {
				keys = append(keys, key+":"+shape(value[key]))
			}
		}
		return "{" + strings.Join(keys, " ") + "}"
	case []any:
		if len(value) == 0 {
			return "[]"
		}
		for _, one := range value { // of a list of users ours alone counts: others use the hub too
			if user, _ := one.(map[string]any); user["name"] == compared {
				return "[" + shape(one) + "]"
			}
		}
		return "[" + shape(value[0]) + "]"
	}
	return ""
}
