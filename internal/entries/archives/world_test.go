package archives_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

const (
	token = archivestest.Token
	mark  = "cairn:deposit/7f3a"
)

// world is an archive under test.
type world struct {
	*testing.T

	stand  *archivestest.Archive
	all    *archivestest.Server
	client *archives.Client
}

// each runs a test with each kind of archive.
func each(t *testing.T, run func(w *world)) {
	t.Helper()
	t.Parallel()
	for _, kind := range []archives.Kind{archives.KindZenodo, archives.KindInvenioRDM} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			all := archivestest.New(t)
			stand := all.Zenodo
			if kind == archives.KindInvenioRDM {
				stand = all.InvenioRDM
			}
			run(&world{t, stand, all, archives.New(stand.Archive(), archivestest.Client())})
		})
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// create makes a draft.
func (w *world) create() archives.Draft {
	w.Helper()
	draft, err := w.client.Create(w.Context(), token, mark)
	w.must(err)
	return draft
}

func (w *world) upload(draft archives.Draft, name, content string) error {
	w.Helper()
	return w.client.Upload(w.Context(), token, draft, name, int64(len(content)), strings.NewReader(content))
}

// about are metadata that both archives accept.
func about() archives.Metadata {
	return archives.Metadata{
		Title: "Waves and rocks", Type: "dataset", Description: "<p>How they meet.</p>", License: "CC-BY-4.0", Published: "2026-11-30", Version: "3",
		Creators: []archives.Person{{Name: "Doe, Jane", ORCID: "0000-0002-1825-0097", Affiliation: "Sea Institute"}, {Name: "The Rock Group"}},
		Keywords: []string{"waves", "rocks"}, Related: []archives.Related{{Identifier: "10.1234/paper", Relation: "IsSupplementTo"}, {Identifier: "https://example.org/id/1/v3", Relation: "IsIdenticalTo"}},
		Notes: "From a catalog.", Mark: mark,
	}
}

// wantFault checks the code of an error, and that no token is in it.
func wantFault(t *testing.T, err error, class fault.Class) *fault.Fault {
	t.Helper()
	want := fault.New(class, "x")
	found, ok := errors.AsType[*fault.Fault](err)
	if !ok || found.Code != want.Code {
		t.Fatalf("got %v, want %s", err, want.Code)
	}
	if strings.Contains(found.Error(), token) || !strings.HasSuffix(found.Message, ".") {
		t.Errorf("%q", found.Error())
	}
	return found
}

// other is a server that must not be asked.
func other(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was asked: %s %s", r.Method, r.URL)
	}))
	t.Cleanup(server.Close)
	return server
}

// fetch downloads an address.
func fetch(t *testing.T, address string) string {
	t.Helper()
	var content bytes.Buffer
	_, err := archivestest.Client().Download(t.Context(), safehttp.Request{Address: address, MaxBytes: 1_000_000, Timeout: time.Minute}, &content, nil)
	if err != nil {
		t.Fatal(err)
	}
	return content.String()
}
