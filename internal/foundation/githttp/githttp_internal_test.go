package githttp

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestClonesAreBounded: clones beyond the limit are told to retry, and nothing queues up.
func TestClonesAreBounded(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a.git")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	handler := New(func(*http.Request, string) (string, error) { return folder, nil })
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	for range Processes {
		handler.slots <- struct{}{}
	}
	get := func() *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/a.git/info/refs?service=git-upload-pack", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response
	}
	if response := get(); response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "1" {
		t.Errorf("with no place free: %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
	<-handler.slots
	if response := get(); response.StatusCode != http.StatusOK {
		t.Errorf("with a place free: %d", response.StatusCode)
	}
}
