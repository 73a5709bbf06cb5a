package preview_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/notebook"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/httpapi"
)

type problem struct{ Code, Message string }

func TestFilesOfEntries(t *testing.T) {
	t.Parallel()
	w, stand := filesWorld(t)
	var folder preview.Folder
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("open")+"/files", http.StatusOK, &folder)
	if len(folder.Entries) != 7 || folder.Entries[1].Path != "src" || folder.Branch != "main" || folder.FilesURL != "https://github.com/owner/open/blob/main/" || folder.Stale {
		t.Errorf("%+v", folder)
	}
	pushed := time.Date(2025, 5, 4, 12, 0, 0, 0, time.UTC)
	if folder.Language != "Python" || folder.SizeBytes != 37<<10 || folder.PushedAt == nil || !folder.PushedAt.Equal(pushed) {
		t.Errorf("what the host counted: %+v", folder)
	}
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("open")+"/files/?path=src", http.StatusOK, &folder)
	if len(folder.Entries) != 1 || folder.Entries[0].Size != 8 || folder.Path != "src" {
		t.Errorf("%+v", folder)
	}
	var text preview.Text
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("open")+"/file?path=src/a%20b.py", http.StatusOK, &text)
	colors := []notebook.Highlight{{Length: 5, Kind: "builtin"}}
	if text.Text != "print()\n" || text.Branch != "main" || text.Path != "src/a b.py" || !slices.Equal(text.Highlights, colors) {
		t.Errorf("%+v", text)
	}
	for path, want := range map[string]string{"latin.txt": "café", "encodings/README.md": "# Müller\n\näöü\n", "encodings/powershell.txt": "hä\n"} {
		if w.Ask("", http.MethodGet, "/resources/public/"+w.ID("open")+"/file?path="+path, http.StatusOK, &text); text.Text != want {
			t.Errorf("%s is %q", path, text.Text)
		}
	}
	w.Ask(catalogtest.Bob, http.MethodGet, "/resources/public/"+w.ID("hidden")+"/files", http.StatusOK, &folder)
	stand.Requests()

	for _, one := range []struct {
		name, email, path string
		status            int
		code, message     string // no message where another test asserts the sentence
	}{
		{"hidden", catalogtest.Ada, "files", 404, "not_found", ""},
		{"hidden", "", "file?path=README.md", 404, "not_found", ""},
		{"elsewhere", "", "files", 404, "not_found", ""},
		{"gone", "", "files", 404, "not_found", ""},
		{"secret", catalogtest.Ada, "files", 404, "not_found", ""},
		{"secret", catalogtest.Ada, "file?path=a.txt", 404, "not_found", ""},
		{"data", "", "files", 404, "not_found", "Only repositories have files."},
		{"book", "", "file?path=a", 404, "not_found", "Only repositories have files."},
		{"open", "", "files?path=../..", 422, "invalid", "No part of a path may be empty, . or .."},
		{"open", "", "files?path=a%2F..%2F..%2Fb", 422, "invalid", "No part of a path may be empty, . or .."},
		{"open", "", "files?path=%00", 422, "invalid", ""},
		{"open", "", "files?path=none", 404, "not_found", `There is no folder "/none" on the branch main of owner/open.`},
		{"open", "", "file?path=none", 404, "not_found", `There is no file "none" on the branch main of owner/open.`},
		{"open", "", "file?path=picture.png", 422, "invalid", "This file isn't text, so it can't be shown here."},
		{"open", "", "file?path=encodings/archive.txt", 422, "invalid", "This file isn't text, so it can't be shown here."},
		{"open", "", "file?path=long.txt", 413, "too_large", "This file is too large to be shown here: the limit is 1 MiB."},
	} {
		var answer problem
		w.Ask(one.email, http.MethodGet, "/resources/public/"+w.ID(one.name)+"/"+one.path, one.status, &answer)
		if answer.Code != one.code || one.message != "" && answer.Message != one.message {
			t.Errorf("%s of %s: %+v", one.path, one.name, answer)
		}
	}
}

// A citation never fails because of the repository: the entry's own is used then.
func TestCitationsOfEntries(t *testing.T) {
	t.Parallel()
	w, stand := filesWorld(t)
	for name, want := range map[string]string{"open": "owner/open", "elsewhere": "", "gone": "", "secret": "", "data": "", "book": ""} {
		var cited preview.Cited
		w.Ask("", http.MethodGet, "/resources/public/"+w.ID(name)+"/citation", http.StatusOK, &cited)
		if (cited.Item == nil) != (want == "") || (cited.Item != nil && cited.Item.Title != want) {
			t.Errorf("%s: %+v", name, cited.Item)
		}
		title := want
		if title == "" {
			title = name
		}
		if len(cited.Texts) != 3 || cited.NamesGuessed != (want == "") || !strings.Contains(cited.Texts[1].Text, title) || strings.Contains(cited.Texts[1].Text, "@") {
			t.Errorf("%s is cited as %+v", name, cited)
		}
	}
	w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+w.ID("hidden")+"/citation", http.StatusNotFound, nil)
	stand.Disturb(githubtest.Disturbance{Status: 500})
	var cited preview.Cited
	w.Ask(catalogtest.Bob, http.MethodGet, "/resources/public/"+w.ID("hidden")+"/citation", http.StatusOK, &cited)
	if cited.Item != nil {
		t.Errorf("%+v", cited.Item)
	}
}

// One caller can't use up a code host's limit: each has a share.
func TestQuestionsGoOnTheAccountOfWhoAsks(t *testing.T) {
	t.Parallel()
	w, stand := filesWorld(t)
	stand.Limit(6, 6, time.Now().Add(time.Hour)) // two for each
	handler := w.Handler()
	ask := func(address, email, path string) int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+"/resources/public/"+w.ID("open")+"/files?path="+path, http.NoBody)
		request.RemoteAddr = address
		if email != "" {
			request.Header.Set("Authorization", "Bearer "+email)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if answer.Code == http.StatusTooManyRequests && answer.Header().Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		return answer.Code
	}
	for _, one := range []struct {
		address, email, path string
		want                 int
	}{
		{"192.0.2.1:5", "", "", 200},
		{"192.0.2.1:6", "", "no", 404},
		{"192.0.2.1:7", "", "nowhere", 429},
		{"192.0.2.1:8", "", "", 200},
		{"192.0.2.1:9", catalogtest.Ada, "one", 404},
		{"192.0.2.2:9", catalogtest.Ada, "two", 404},
		{"192.0.2.3:9", catalogtest.Ada, "three", 429},
		{"192.0.2.2:9", "", "four", 404},
	} {
		if got := ask(one.address, one.email, one.path); got != one.want {
			t.Errorf("%+v: %d", one, got)
		}
	}
}
