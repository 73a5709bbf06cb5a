package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestReloadTakesSoundFilesOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(smallest)
	live, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	before := live.Current()
	write(strings.Replace(smallest, "name: Library", "name: Archive", 1))
	if err := live.Reload(); err != nil || live.Current().Brand.Name != "Archive" || before.Brand.Name != "Library" {
		t.Errorf("%v: now %q, before %q", err, live.Current().Brand.Name, before.Brand.Name)
	}
	write("brand: 1")
	if err := live.Reload(); fault.KindOf(err) != fault.Invalid || live.Current().Brand.Name != "Archive" {
		t.Errorf("%v: now %q", err, live.Current().Brand.Name)
	}
	if _, err := Open(file); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a start with a broken file: %v", err)
	}
}
