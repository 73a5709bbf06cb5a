package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// A server whose key file is missing, damaged or open to others starts without connections.
func TestAServerStartsWithoutTheKeyOfConnections(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{"missing": "", "damaged": "not a key\n"} {
		p := &program{db: sqldbtest.SQLite(t, time.Now), logger: slog.New(slog.DiscardHandler), config: config.Default()}
		p.config.Data, p.config.Code.Secrets.KeyFile = folder, filepath.Join(folder, name)
		if content != "" {
			if err := os.WriteFile(p.config.Code.Secrets.KeyFile, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		opened, readers, err := p.connectAccounts(codeHosts{Hosts: codehost.NewHosts(nil, nil)})
		if err != nil || opened == nil || readers == nil || p.openKeys() != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := &program{logger: slog.New(slog.DiscardHandler), config: config.Default()}
	p.config.Data = folder
	if p.openKeys() == nil {
		t.Error("one server makes no key of its own")
	}
	p.config.OIDC.Issuer, p.config.Sessions.Engines = "https://idp.example.org", nil // others may share its database
	if p.openKeys() != nil {
		t.Error("a server among several makes a key of its own")
	}
}
