package app_test

import (
	"path/filepath"
	"testing"

	"cairn/internal/app"
	"cairn/internal/fault"
)

// Several servers share a database only where nothing of them is on one machine alone.
func TestServersShareADatabaseOnlyWhereTheyCan(t *testing.T) {
	t.Parallel()
	first := demoConfig(t)
	start(t, first)
	second := demoConfig(t)
	second.DatabaseURL = "sqlite:" + filepath.Join(first.Data, "cairn.db")
	hubOnly := second
	hubOnly.Demo, hubOnly.Data = false, filepath.Join(t.TempDir(), "data")
	hubOnly.OIDC.Issuer, hubOnly.OIDC.ClientID = "https://login.example.org", "cairn"
	hubOnly.PublicURL, hubOnly.SessionURL = "http://127.0.0.1:8080", "http://{kind}-{id}.localhost:8081"
	hubOnly.Sessions.Engines = []app.EngineConfig{{Name: "hub", Kind: "jupyterhub", URL: "http://127.0.0.1:1", Token: "x"}}
	for name, test := range map[string]struct {
		config app.Config
		words  []string
	}{
		"a second one with local engines": {second, []string{"a local engine and the embedded identity provider", "kind: jupyterhub", "oidc.issuer"}},
		"a second one on a hub":           {hubOnly, []string{"has a local engine or the embedded identity provider", "kind: jupyterhub"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectRefusal(t, runToEnd(t, test.config), fault.Conflict, test.words...)
		})
	}
}

func TestServersOfOneHubShareADatabase(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	config.Listen, config.SessionListen, config.Data = "127.0.0.1:0", "127.0.0.1:0", filepath.Join(t.TempDir(), "data")
	config.Log.Level = "error"
	config.OIDC.Issuer, config.OIDC.ClientID = "https://login.example.org", "cairn"
	config.PublicURL, config.SessionURL = "http://127.0.0.1:8080", "http://{kind}-{id}.localhost:8081"
	config.Sessions.Engines = []app.EngineConfig{{Name: "hub", Kind: "jupyterhub", URL: "http://127.0.0.1:1", Token: "x"}}
	other := config
	other.Data = filepath.Join(t.TempDir(), "data")
	other.DatabaseURL = "sqlite:" + filepath.Join(config.Data, "cairn.db")
	start(t, config)
	start(t, other)
}
