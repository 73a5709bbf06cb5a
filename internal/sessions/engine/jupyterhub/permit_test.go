package jupyterhub

import (
	"os"
	"path/filepath"
	"testing"

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
