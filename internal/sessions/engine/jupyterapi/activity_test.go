package jupyterapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterapi"
)

// What happens in kernels and terminals is activity; a server without terminals isn't asked for them.
func TestActivity(t *testing.T) {
	answers := map[string]string{
		"api/status":                      `{"kernels": 1, "last_activity": "2026-11-23T10:00:00Z"}`,
		"api/kernels?no_track_activity=1": `[{"last_activity": "2026-11-23T08:00:00Z", "execution_state": "busy", "connections": 2}]`,
		"api/terminals":                   `[{"name": "1", "last_activity": "2026-11-23T07:00:00Z"}, {"name": "2", "last_activity": "2026-11-23T09:00:00.5Z"}]`,
	}
	refused := errors.New("no terminals here")
	for terminals, want := range map[bool]engine.Activity{
		false: {LastAt: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC), Busy: true, Connections: 2},
		true:  {LastAt: time.Date(2026, 11, 23, 9, 0, 0, 5e8, time.UTC), Busy: true, Connections: 2},
	} {
		got, err := jupyterapi.Activity(t.Context(), func(_ context.Context, path string, answer any) error {
			if path == "api/terminals" && !terminals {
				return refused
			}
			return json.Unmarshal([]byte(answers[path]), answer)
		}, terminals)
		if err != nil || got != want {
			t.Errorf("with terminals %t: %+v (%v), want %+v", terminals, got, err, want)
		}
	}
}
