package kept_test

import (
	"archive/tar"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
)

// fetch asks for packed files, and returns those by their paths.
func (w *world) fetch(address, token string) (status int, files map[string]string) {
	w.T.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+catalog.KeptPath+"{id}/{version}/files.tar", w.files.ServePacked)
	request := httptest.NewRequest(http.MethodGet, address, http.NoBody)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, request)
	files = map[string]string{}
	for packed := tar.NewReader(answer.Body); answer.Code == http.StatusOK; {
		header, err := packed.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			w.T.Fatal(err)
		}
		content, err := io.ReadAll(packed)
		if err != nil {
			w.T.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			files[header.Name] = string(content)
		}
	}
	return answer.Code, files
}

func TestPackedFilesForSessions(t *testing.T) {
	w := newWorld(t)
	w.files.Secret = []byte("secret of the installation")
	id := w.add(ada, catalog.Dataset, "Rates", w.file(ada, "data/a.csv", "a,b\n"), w.file(ada, "data/.note", "hidden"))
	w.renew(ada, id, w.file(ada, "a.csv", "a,b,c\n"))
	one, other := catalog.Kept{ID: id, Number: 1}.String(), catalog.Kept{ID: id, Number: 2}.String()
	link, ok := w.files.Link(t.Context(), public, one, "session")
	address, token := link.URL, link.Token
	if want := public + "/kept/" + id + "/v1/files.tar"; !ok || address != want {
		t.Fatalf("the link is %q, want %q", address, want)
	}
	if strings.Contains(address, token) || token == "" {
		t.Error("the address has the token")
	}
	status, files := w.fetch(address, token)
	if status != http.StatusOK || len(files) != 2 || files["a.csv"] != "a,b\n" || files[".note"] != "hidden" {
		t.Errorf("%d %q", status, files)
	}
	second, _ := w.files.Link(t.Context(), public, other, "session")
	elsewhere, tokenOf2 := second.URL, second.Token
	if want := one + "@" + w.versions(ada, id)[0].Digest; link.Key != want || second.Key == want {
		t.Errorf("the keys are %q and %q, want %q", link.Key, second.Key, want)
	}
	if status, files := w.fetch(elsewhere, tokenOf2); status != http.StatusOK || files["a.csv"] != "a,b,c\n" {
		t.Errorf("version 2: %d %q", status, files)
	}
	for name, wrong := range map[string]string{
		"no token": "", "that of another version": tokenOf2, "another session": strings.Replace(token, "session", "another", 1),
		"a later time": strings.Replace(token, ".", ".9", 1), "no signature": "session.99999999999.", "words": "let me in",
	} {
		if status, _ := w.fetch(address, wrong); status != http.StatusNotFound {
			t.Errorf("%s: %d", name, status)
		}
	}
	if err := w.Versions().Withdraw(w.as(ada), id, 1, "Wrong."); err != nil {
		t.Fatal(err)
	}
	if status, _ := w.fetch(address, token); status != http.StatusGone {
		t.Errorf("a withdrawn version: %d", status)
	}
	w.clock.add(3 * time.Hour)
	if status, _ := w.fetch(elsewhere, tokenOf2); status != http.StatusForbidden {
		t.Errorf("three hours later: %d", status)
	}
	if _, ok := w.files.Link(t.Context(), public, "a/folder", "session"); ok {
		t.Error("a folder of the operator's has a link")
	}
}
