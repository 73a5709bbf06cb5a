package environments

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/sessions/engine/requirements"

	"golang.org/x/sys/unix"
)

// The code of packages can print what the script that installs them prints.
func TestAPackageIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	said := &rOutput{pipOutput: pipOutput{tell: func(string) {}, log: func(string) {}}, wanted: []requirements.RPackage{{Name: "a"}, {Name: "b"}}}
	lines := strings.Repeat("cairn\tleft\ta\tfailed\ncairn\tleft\tb\tabsent\ncairn\tleft\tother\tfailed\ncairn\tleft\ta\tmade up\n", 1_000)
	if err := said.read(strings.NewReader(lines)); err != nil {
		t.Fatal(err)
	}
	if len(said.left) != 2 || said.left[0].What != "a (R)" || said.left[1].Why != whyNotInstalled["absent"] {
		t.Errorf("left out: %+v", said.left)
	}
}

// Whoever fills an environment can put pipes into it, and opening one waits for its other end.
func TestPipesInAnEnvironmentAreNotOpened(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"library/real", "library/pipe"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"library/zz", "library/pipe/DESCRIPTION", "venv"} {
		if err := unix.Mkfifo(filepath.Join(folder, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "library/real/DESCRIPTION"), []byte("Package: real\nVersion: 1.2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if names := foldersIn(root, "library"); !slices.Equal(names, []string{"pipe", "real"}) {
		t.Errorf("the folders are %q", names)
	}
	if names := foldersIn(root, "venv"); len(names) > 0 {
		t.Errorf("a pipe has folders: %q", names)
	}
	if text := readOwn(root, "library/pipe/DESCRIPTION", 100); text != "" {
		t.Errorf("a pipe has a text: %q", text)
	}
	if text := readOwn(root, "library/real/DESCRIPTION", 100); !strings.Contains(text, "1.2") {
		t.Errorf("a file has the text %q", text)
	}
}
