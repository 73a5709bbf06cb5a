package codehost_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
)

// The suite with a real Gitea, which `make test-all PART=hosts` builds.
func TestThoroughHosts(t *testing.T) {
	program, err := filepath.Abs("../../../bin/tools/gitea")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("there is no Gitea: run make test-all PART=hosts: %v", err)
	}
	hosttest.Run(t, hosttest.Kind{
		Start: func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			server := hosttest.StartRealGitea(t, program, repositories)
			return codehost.NewGitea(server.Options(t, now)), server.StandIn
		},
		Host: "codeberg.org", FilesURL: "/owner/name/src/branch/main/", Sizes: true, Facts: true, IsRenamed: true,
	})
}
