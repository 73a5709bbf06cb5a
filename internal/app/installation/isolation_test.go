package installation

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine/localjupyter"
)

func TestTheStartTellsHowSessionsAreIsolated(t *testing.T) {
	t.Parallel()
	found := localjupyter.Isolation{Level: sandbox.LevelA, Network: localjupyter.Reach{Network: sandbox.None}}
	for open, want := range map[string][]string{
		"":        {"level=INFO", "isolation=A", "network=none", "system_calls=filtered"},
		"Forbid.": {"level=WARN", "isolation=A", "system_calls=Forbid."},
	} {
		var log bytes.Buffer
		found.Open = open
		logIsolation(slog.New(slog.NewTextHandler(&log, nil)), found)
		for _, attribute := range want {
			if !strings.Contains(log.String(), attribute) {
				t.Errorf("%q isn't in %s", attribute, log.String())
			}
		}
	}
}
