// The tests of what operators install, on the binary that `make build` left: they know it from the outside only.
package deploy_test

import (
	"os"
	"path/filepath"
	"testing"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// cairn returns the path of the binary.
func cairn(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/cairn")
	noError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; make it with: make build", err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	noError(t, err)
	return string(content)
}

// write creates a file, and the folders that it's in.
func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	noError(t, os.WriteFile(path, []byte(content), mode))
}
