package front

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"cairn/internal/sessions/machine/broker"
)

func TestLooksAreForTheCatalogAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a b.ipynb", []byte(`{"cells": [{"cell_type": "code", "source": "1+1"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	address, _ := serve(t, Options{})
	address += "/user/ann%40example.org/one/" + broker.LookPath
	for _, token := range []string{"", "token other"} {
		if status, body := get(t, address, token); status != http.StatusForbidden || strings.Contains(body, "1+1") {
			t.Errorf("with %q: %d %s", token, status, body)
		}
	}
	status, body := get(t, address+"?notebook=a+b.ipynb", "token right")
	var look broker.Look
	if err := json.Unmarshal([]byte(body), &look); err != nil || status != http.StatusOK || look.Notebook == nil || look.Notebook.Cells[0].Source != "1+1" || len(look.Files) != 1 {
		t.Errorf("it answers %d %s (%v)", status, body, err)
	}
	if status, body := get(t, address+"?notebook=a+b.ipynb&have="+look.Revision, "token right"); status != http.StatusNotModified || body != "" {
		t.Errorf("again: %d %s", status, body)
	}
	if status, body := get(t, address+"?notebook=none.ipynb&have="+look.Revision, "token right"); status != http.StatusOK || !strings.Contains(body, `"notebook":null`) {
		t.Errorf("another notebook: %d %s", status, body)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "token right")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", answer.StatusCode)
	}
}
