package installation

import (
	"bytes"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
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

func TestEveryKindOfEngineCanBeOpened(t *testing.T) {
	t.Parallel()
	if kinds := slices.Sorted(maps.Keys(engines)); !slices.Equal(kinds, config.EngineKinds) {
		t.Errorf("engines of the kinds %v can be opened, and the configuration knows %v", kinds, config.EngineKinds)
	}
}
