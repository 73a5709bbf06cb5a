package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
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
	hubOnly.Sessions.Engines = []config.Engine{{Name: "hub", Kind: "jupyterhub", URL: "http://127.0.0.1:1", Token: "x"}}
	for name, test := range map[string]struct {
		config config.Config
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

// Nothing is changed under a server that runs, not even for a newer version.
func TestARefusedServerLeavesTheTablesAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, newAddress := range map[string]func(t testing.TB) string{
		"SQLite": func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "cairn.db") }, "PostgreSQL": sqldbtest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const older = 1
			address := newAddress(t)
			db, err := sqldb.OpenAt(t.Context(), address, time.Now, older)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			attach(t, db, false)
			settings := demoConfig(t)
			settings.DatabaseURL = address
			expectRefusal(t, runToEnd(t, settings), fault.Conflict, "Another cairn is already serving from this database")
			if version, err := db.Version(t.Context()); version != older || err != nil {
				t.Errorf("the tables are at version %d, %v", version, err)
			}
		})
	}
}

func TestServersOfOneHubShareADatabase(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Listen, settings.SessionListen, settings.Data = "127.0.0.1:0", "127.0.0.1:0", filepath.Join(t.TempDir(), "data")
	settings.Log.Level = "error"
	settings.OIDC.Issuer, settings.OIDC.ClientID = "https://login.example.org", "cairn"
	settings.PublicURL, settings.SessionURL = "http://127.0.0.1:8080", "http://{kind}-{id}.localhost:8081"
	settings.Sessions.Engines = []config.Engine{{Name: "hub", Kind: "jupyterhub", URL: "http://127.0.0.1:1", Token: "x"}}
	other := settings
	other.Data = filepath.Join(t.TempDir(), "data")
	other.DatabaseURL = "sqlite:" + filepath.Join(settings.Data, "cairn.db")
	start(t, settings)
	start(t, other)
}
