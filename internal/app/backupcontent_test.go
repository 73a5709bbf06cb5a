package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"cairn/internal/sharing/client"
)

// keepVersions uploads a dataset in two versions, and returns what stays the same about the first.
func keepVersions(t *testing.T, server, token string) (paths []string) {
	t.Helper()
	environment := map[string]string{client.AddressVariable: server, client.TokenVariable: token}
	caller, err := client.Open(func(name string) string { return environment[name] }, "test")
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, text := range []string{"day,mm\n1,2\n", "day,mm\n1,3\n"} {
		file := filepath.Join(t.TempDir(), "rain.csv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		made, err := caller.Upload(t.Context(), client.Upload{Paths: []string{file}, Type: "DATASET", Name: "Rain", To: id})
		if err != nil {
			t.Fatal(err)
		}
		id = made.ResourceID
	}
	for _, what := range []string{"/versions", "/dataset/file?path=rain.csv&version=1", "/dataset/file?path=rain.csv", "/export/datacite?version=1"} {
		paths = append(paths, "/api/v1/rf/resources/public/"+id+what)
	}
	return paths
}
