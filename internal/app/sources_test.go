package app

import (
	"os"
	"path/filepath"
	"testing"

	"cairn/internal/site/demo"
)

// dataRoot creates an operator's data root next to a folder that nobody may reach, with links between them.
func dataRoot(t *testing.T) (root string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(base, "root")
	for _, folder := range []string{"root/spikes", "root/lab/images", "outside", "root-2"} {
		if err := os.MkdirAll(filepath.Join(base, folder), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"escape": "../outside", "absolute": filepath.Join(base, "outside"), "sideways": "../root-2", "lab/up": "../../outside",
		"alias": "lab/images", "chain": "escape", "dangling": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// CVE-2023-51449, CVE-2026-39378: encoded dots, absolute paths and links led out of the folder.
func TestDatasetPathsCannotLeaveTheRoot(t *testing.T) {
	t.Parallel()
	root := dataRoot(t)
	s := sources{root: root}
	for _, address := range []string{
		"..", "../outside", "spikes/../../outside", "/etc", root + "/../outside", filepath.Join(root, "..", "outside"), "escape", "absolute",
		"sideways", "lab/up", "chain", "dangling", "nowhere", "spikes\x00", "", "file:///etc", "bundled:spikes", "https://x.org/spikes",
		"escape/../spikes/../../outside", "..%2foutside/..",
	} {
		if path, err := s.DatasetPath(address); err == nil {
			t.Errorf("%q leads to %s", address, path)
		}
		if tree, err := s.OpenDataset(address); err == nil {
			_ = tree.Close()
			t.Errorf("%q is opened", address)
		}
	}
	for address, want := range map[string]string{"spikes": "spikes", "lab/images": "lab/images", "alias": "lab/images", "lab/../spikes": "spikes"} {
		if path, err := s.DatasetPath(address); err != nil || path != filepath.Join(root, want) {
			t.Errorf("%q leads to %q, %v", address, path, err)
		}
		tree, err := s.OpenDataset(address)
		if err != nil {
			t.Errorf("%q is not opened: %v", address, err)
			continue
		}
		_ = tree.Close()
	}
}

func TestRelativeRootGivesAbsolutePaths(t *testing.T) {
	root := dataRoot(t)
	t.Chdir(filepath.Dir(root))
	path, err := sources{root: "root"}.DatasetPath("spikes")
	if err != nil || path != filepath.Join(root, "spikes") {
		t.Errorf("got %q, %v", path, err)
	}
}

func TestWithoutARootThereAreNoFolders(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"", "/nowhere"} {
		if path, err := (sources{root: root}).DatasetPath("spikes"); err == nil {
			t.Errorf("root %q: got %s", root, path)
		}
	}
}

func TestDemoSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := demo.Install(dir); err != nil {
		t.Fatal(err)
	}
	s := sources{demoDir: dir, publicURL: "http://127.0.0.1:8080"}
	data, err := s.OpenDataset("bundled:argon-energy")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if table, err := data.Table(t.Context(), "argon-energy.csv", ""); err != nil || table.RowsRead != 1000 {
		t.Errorf("the demo's dataset has %d rows, %v", table.RowsRead, err)
	}
	if path := s.RepositoryPath("http://127.0.0.1:8080/demo/git/first-steps.git"); path == "" {
		t.Error("the demo's repository is not found")
	}
	for _, address := range []string{"https://github.com/o/n", "http://127.0.0.1:8080.evil.example/demo/git/first-steps.git", "/etc"} {
		if path := s.RepositoryPath(address); path != "" {
			t.Errorf("%s is taken from %s", address, path)
		}
	}
	if path := (sources{publicURL: s.publicURL}).RepositoryPath("http://127.0.0.1:8080/demo/git/first-steps.git"); path != "" {
		t.Errorf("outside the demo: %s", path)
	}
}
