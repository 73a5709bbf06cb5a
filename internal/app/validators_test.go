package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changed says how to change what an operation shows.
type changed struct {
	role   string // who asks
	change func(t *testing.T, w *matrixWorld)
}

// changes has a row for every operation whose ETag isn't made of its answer: clients keep what they have until it changes.
var changes = map[string]changed{
	"list-sessions": {"owner", func(t *testing.T, w *matrixWorld) {
		t.Helper()
		if status, text := w.request("owner", matrixRow{method: "DELETE", path: "/sessions/{session}"}); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}},
	// The worst change: as many bytes, and the time of before, as unpacking and copying programs leave it.
	"download-dataset-file": {"author", func(t *testing.T, w *matrixWorld) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(w.root, "*", "a.csv"))
		if err != nil || len(files) == 0 {
			t.Fatal("no data", err)
		}
		for _, file := range files {
			before, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, bytes.Repeat([]byte("9"), int(before.Size())), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
				t.Fatal(err)
			}
		}
	}},
}

// shown is an answer with what it says about its state.
type shown struct {
	status        int
	body          []byte
	tag, modified string
}

// ask sends a GET as a role.
func (w *matrixWorld) ask(role, path string, header ...string) shown {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL+"/api/v1/rf"+w.ids.Replace(path), http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	if token := w.tokens[role]; token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := w.server.Client().Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return shown{response.StatusCode, body, response.Header.Get("ETag"), response.Header.Get("Last-Modified")}
}

// isOf reports whether a tag is made of the body alone, in one of the forms of this server: then it changes whenever the body does.
func isOf(tag string, body []byte) bool {
	digest := sha256.Sum256(body)
	return tag == `W/"`+base64.RawURLEncoding.EncodeToString(digest[:16])+`"` ||
		tag == `"`+hex.EncodeToString(digest[:16])+`"` || tag == `"`+hex.EncodeToString(digest[:])+`"`
}

// Whoever has an older answer gets the new one, whole: no operation says that nothing has changed, or sends a part of something
// else, after it did. An operation whose ETag isn't made of its answer needs a row.
func TestClientsWithOlderAnswersGetNewOnes(t *testing.T) {
	t.Parallel()
	w := newMatrixWorld(t)
	tagged, used := 0, map[string]bool{}
	for _, row := range matrix {
		one, has := changes[row.operation]
		at := slices.IndexFunc(roles, func(role string) bool { return role == one.role })
		if !has {
			at = slices.Index(row.want[:], http.StatusOK)
		}
		if row.method != http.MethodGet || at < 0 || row.want[at] != http.StatusOK || has && used[row.operation] {
			continue
		}
		role := roles[at]
		before := w.ask(role, row.path)
		if before.tag == "" && before.modified == "" {
			continue
		}
		tagged++
		made := isOf(before.tag, before.body)
		if !made && !has {
			t.Errorf("%s: %s answers the ETag %q and Last-Modified %q, and has no row in changes", row.operation, row.path, before.tag, before.modified)
			continue
		}
		if has {
			used[row.operation] = true
			if same := w.ask(role, row.path, "If-None-Match", before.tag); same.status != http.StatusNotModified {
				t.Errorf("%s: unchanged, it answers %d", row.operation, same.status)
			}
			one.change(t, w)
		}
		old := before.tag
		if made { // of something else
			old = `"` + strings.Repeat("0", 32) + `"`
		}
		asks := [][]string{{"If-None-Match", old}, {"Range", "bytes=0-0", "If-Range", old}}
		if before.modified != "" {
			asks = append(asks, []string{"If-Modified-Since", before.modified}, []string{"If-None-Match", old, "If-Modified-Since", before.modified}, []string{"Range", "bytes=0-0", "If-Range", before.modified})
		}
		now := w.ask(role, row.path)
		if has && (bytes.Equal(now.body, before.body) || now.tag == before.tag) {
			t.Errorf("%s: its row changes nothing: ETag %q, then %q", row.operation, before.tag, now.tag)
		}
		for _, header := range asks {
			if got := w.ask(role, row.path, header...); got.status != http.StatusOK || got.tag != now.tag && !isOf(got.tag, got.body) || len(got.body) < len(now.body)/2 {
				t.Errorf("%s with %q: %d, ETag %q, %d bytes of %d", row.operation, header, got.status, got.tag, len(got.body), len(now.body))
			}
		}
	}
	if tagged < 40 || len(used) != len(changes) {
		t.Errorf("only %d answers had a validator; of the rows %v were used", tagged, used)
	}
}

// validators are the files of this server that write an ETag or a Last-Modified, with what it is made of.
var validators = map[string]string{
	"content/cover/routes.go":          "the bytes",
	"content/preview/routes_image.go":  "the bytes",
	"foundation/httpapi/download.go":   "what the operation knows: TestClientsWithOlderAnswersGetNewOnes; the date decides nothing",
	"foundation/httpapi/middleware.go": "the bytes",
	"foundation/httpapi/text.go":       "the bytes",
	"sessions/routes.go":               "the versions of the list: TestClientsWithOlderAnswersGetNewOnes",
	"sessions/work/routes_versions.go": "the bytes of a file in a version, which never change",
	"sharing/badge/badge.go":           "the bytes",
	"site/pictures.go":                 "the bytes",
}

// Routes beside the operations answer validators too: whoever adds one says here what it is made of.
func TestEveryValidatorIsKnown(t *testing.T) {
	t.Parallel()
	writes := regexp.MustCompile(`\.Set\("(ETag|Last-Modified)"|\.ETag = `)
	found := map[string]bool{}
	inside := os.DirFS("..")
	err := fs.WalkDir(inside, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		content, err := fs.ReadFile(inside, path)
		if err == nil && writes.Match(content) {
			found[path] = true
			if validators[path] == "" {
				t.Errorf("%s writes an ETag or a Last-Modified, and isn't among the validators", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range validators {
		if !found[path] {
			t.Errorf("%s writes none anymore", path)
		}
	}
}
