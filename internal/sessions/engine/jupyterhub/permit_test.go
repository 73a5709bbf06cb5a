package jupyterhub

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// Traversal: what is signed for the hub names datasets below the folder that both machines have, and nothing else.
func TestDatasetsAreNamedBelowTheSharedRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(filepath.Join(root, "..spikes"), 0o750); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(root, "spikes"): "spikes", filepath.Join(root, "a/b"): "a/b", filepath.Join(root, "..spikes"): "..spikes",
		root + "-of-others": "", filepath.Dir(root): "", "/etc": "",
	} {
		e := &Engine{options: Options{DataRoot: root}}
		got := e.reference(engine.Dataset{Name: "Spikes", Folder: "spikes", Path: path})
		if got.Path != want || (got.Unavailable == "") != (want != "") {
			t.Errorf("%s is signed as %q, unavailable: %q; want %q", path, got.Path, got.Unavailable, want)
		}
	}
	without := (&Engine{}).reference(engine.Dataset{Name: "Spikes", Folder: "spikes", Path: "/etc"})
	if without.Path != "" || without.Unavailable == "" {
		t.Errorf("without a shared folder, %q is signed", without.Path)
	}
}

// What is signed holds longer than a launch may go on without progress.
func TestPermitsOutliveTheirLaunches(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for _, timeout := range []time.Duration{0, 3 * time.Minute, 20 * time.Minute} {
		e := &Engine{options: Options{LaunchTimeout: timeout, Now: func() time.Time { return now }}}
		options, err := e.permit(record{})
		if err != nil {
			t.Fatal(err)
		}
		var asked permit
		if err := json.Unmarshal([]byte(options["cairn"]), &asked); err != nil {
			t.Fatal(err)
		}
		if until := time.Unix(asked.Until, 0); !until.After(now.Add(timeout)) || until.After(now.Add(time.Hour)) {
			t.Errorf("a launch of %s is signed until %s later", timeout, until.Sub(now))
		}
	}
}
