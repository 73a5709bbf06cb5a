package kept_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// hide makes an entry private.
func (w *world) hide(email, id string) {
	w.T.Helper()
	entry, err := w.Readable(w.as(email), id)
	if err != nil {
		w.T.Fatal(err)
	}
	private := "PRIVATE"
	if _, err := w.contribute.Update(w.as(email), id, contribute.Edit{Privacy: &private}, entry.UpdatedAt); err != nil {
		w.T.Fatal(err)
	}
}

// gitServer serves kept repositories; the bearer is who asks.
func (w *world) gitServer() *httptest.Server {
	w.T.Helper()
	handler := w.files.GitHandler(func(r *http.Request) (context.Context, error) {
		email, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return r.Context(), nil
		}
		caller, _ := identity.From(w.as(email))
		return identity.With(r.Context(), caller), nil
	})
	server := httptest.NewServer(handler)
	w.T.Cleanup(server.Close)
	return server
}

// clone reports whether somebody can clone an address of this server.
func (w *world) clone(server *httptest.Server, email, address string) error {
	w.T.Helper()
	arguments := []string{"clone", "--quiet", server.URL + strings.TrimPrefix(address, public), filepath.Join(w.T.TempDir(), "x")}
	if email != "" {
		arguments = append([]string{"-c", "http.extraHeader=Authorization: Bearer " + email}, arguments...)
	}
	command := exec.CommandContext(w.T.Context(), "git", arguments...)
	command.Env = append(command.Environ(), "GIT_TERMINAL_PROMPT=0")
	return command.Run()
}

func TestOthersCannotRenew(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Dataset, "Work", w.file(ada, "a.csv", "1"))
	for _, email := range []string{bob, operator} {
		upload := w.file(email, "a.csv", "2")
		if err := w.tryRenew(email, id, upload); fault.CodeOf(err) != fault.NotAuthor {
			t.Errorf("%s: %v", email, err)
		}
		if err := w.tryRenew(ada, id, upload); fault.KindOf(err) != fault.NotFound {
			t.Errorf("with an upload of %s: %v", email, err)
		}
	}
	w.hide(ada, id)
	if err := w.tryRenew(bob, id, w.file(bob, "b.csv", "2")); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a private one: %v", err)
	}
	w.has(id, 1, map[string]string{"a.csv": "1"})
}

// What is kept of a private entry is read by those alone who see the entry.
func TestPrivateFilesAreClosed(t *testing.T) {
	w := newWorld(t)
	private := "project:\n  name: \"Own\"\n  description: \"Mine\"\n  privacy: PRIVATE\n  authors:\n    - \"ada@example.org\"\n"
	name, hidden := "Own", "PRIVATE"
	status, answer, err := w.kept.Add(w.as(ada), catalog.Repository, contribute.Edit{Name: &name, Privacy: &hidden},
		contribute.NewContent{Upload: []string{w.file(ada, "secret.py", "1"), w.file(ada, "cairn.yml", private)}})
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.finish(ada, status, answer)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := w.Readable(w.as(ada), id)
	if err != nil || entry.Privacy != catalog.PrivacyPrivate {
		t.Fatalf("%s %v", entry.Privacy, err)
	}
	open := w.add(ada, catalog.Repository, "Open", w.file(ada, "a.py", "1"))
	shown, err := w.Readable(w.as(ada), open)
	if err != nil {
		t.Fatal(err)
	}
	repository, err := codehost.Parse(entry.RepositoryURL)
	if err != nil {
		t.Fatal(err)
	}
	server := w.gitServer()
	for email, may := range map[string]bool{ada: true, bob: false, "": false} {
		ctx := t.Context()
		if email != "" {
			ctx = w.as(email)
		}
		_, file := w.host.File(ctx, repository, "secret.py", 100)
		_, fresh := w.host.Fresh(ctx, repository, []string{"secret.py"}, 100)
		_, list := w.host.List(ctx, repository, "")
		_, about := w.host.About(ctx, repository)
		_, languages := w.host.Languages(ctx, repository)
		_, _, ref := w.host.HasRef(ctx, repository, "main")
		_, commit := w.host.Commit(ctx, repository, "main")
		for what, err := range map[string]error{"File": file, "Fresh": fresh, "List": list, "About": about, "Languages": languages, "HasRef": ref, "Commit": commit, "clone": w.clone(server, email, entry.RepositoryURL)} {
			if (err == nil) != may {
				t.Errorf("%s as %q: %v", what, email, err)
			}
		}
		if err := w.clone(server, email, shown.RepositoryURL); err != nil {
			t.Errorf("clone of a public one as %q: %v", email, err)
		}
	}
	for _, path := range []string{"..", "../..", "../../used", "../../../etc/passwd", "../../" + id + "-v1/tree/secret.py"} {
		if _, err := w.host.File(w.as(ada), repository, "x/"+path, 100); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// Nobody gets at kept files by an entry of theirs that says it has them.
func TestKeptAddressesAreNotForOtherEntries(t *testing.T) {
	w := newWorld(t, catalogtest.Entry("other", catalogtest.By(bob)), catalogtest.Entry("book", catalogtest.By(bob), catalogtest.Notebook("bundled:a.ipynb")),
		catalogtest.Entry("operators", catalogtest.By(operator)))
	id := w.add(ada, catalog.Dataset, "Work", w.file(ada, "a.csv", "1"), w.file(ada, "b.ipynb", notebookOf("B")))
	w.hide(ada, id)
	data, book := catalog.Kept{ID: id, Number: 1}.String(), catalog.Kept{ID: id, Number: 1, File: "b.ipynb"}.String()
	repository := catalog.Kept{ID: id, Number: 1}.Repository(public, "x")
	name := "Mine"
	for _, email := range []string{bob, operator, ada} {
		for _, address := range []string{data, repository, " " + data} {
			if _, err := w.contribute.Create(w.as(email), catalog.Dataset, contribute.Edit{Name: &name, DatasetURL: &address}); err == nil {
				t.Errorf("%s added a dataset at %q", email, address)
			}
		}
		for _, address := range []string{book, data} {
			if _, err := w.contribute.Create(w.as(email), catalog.Notebook, contribute.Edit{Name: &name, NotebookPath: &address}); err == nil {
				t.Errorf("%s added a notebook at %q", email, address)
			}
		}
		if _, err := w.contribute.AddRepository(w.as(email), repository, contribute.NewRepository{}); err == nil {
			t.Errorf("%s added the repository %s", email, repository)
		}
	}
	for external, edit := range map[string]contribute.Edit{"other": {DatasetURL: &data}, "book": {NotebookPath: &book}, "operators": {DatasetURL: &data}} {
		email := bob
		if external == "operators" {
			email = operator
		}
		entry, err := w.Readable(w.as(email), w.ID(external))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.contribute.Update(w.as(email), entry.ID, edit, entry.UpdatedAt); err == nil {
			t.Errorf("%s changed %s to a kept address", email, external)
		}
	}
	// Uploads don't say where they are.
	status, answer, err := w.kept.Add(w.as(bob), catalog.Dataset, contribute.Edit{Name: &name, DatasetURL: &data}, contribute.NewContent{Upload: []string{w.file(bob, "x.csv", "1")}})
	if err == nil {
		var made string
		if made, err = w.finish(bob, status, answer); err == nil {
			entry, err := w.Readable(w.as(bob), made)
			if at, ok := entry.Kept(); err != nil || !ok || at.ID != made {
				t.Errorf("its files are at %s: %v", entry.DatasetURL, err)
			}
		}
	}
}

// A withdrawn version is gone wherever its files were.
func TestWithdrawnVersionIsClosed(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Repository, "Work", w.file(ada, "a.py", "1"))
	entry, err := w.Readable(w.as(ada), id)
	if err != nil {
		t.Fatal(err)
	}
	address := entry.RepositoryURL
	if w.files.RepositoryPath(address) == "" {
		t.Fatal("there is no repository")
	}
	if err := w.Versions().Withdraw(w.as(ada), id, 1, "wrong"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the latest one: %v", err)
	}
	w.renew(ada, id, w.file(ada, "a.py", "2"))
	if err := w.Versions().Withdraw(w.as(bob), id, 1, "wrong"); fault.CodeOf(err) != fault.NotAuthor {
		t.Errorf("by somebody else: %v", err)
	}
	if err := w.Versions().Withdraw(w.as(ada), id, 1, "wrong"); err != nil {
		t.Fatal(err)
	}
	at := catalog.Kept{ID: id, Number: 1}
	if _, _, err := w.files.Path(at.String()); fault.CodeOf(err) != fault.VersionWithdrawn {
		t.Errorf("Path: %v", err)
	}
	if _, _, err := w.files.OpenDataset(at.String()); fault.CodeOf(err) != fault.VersionWithdrawn {
		t.Errorf("OpenDataset: %v", err)
	}
	if _, _, err := w.files.Read(t.Context(), at.String()+"/a.py", 100); fault.CodeOf(err) != fault.VersionWithdrawn {
		t.Errorf("Read: %v", err)
	}
	if w.files.Has(t.Context(), at) || w.files.RepositoryPath(address) != "" {
		t.Error("it has its files")
	}
	repository, err := codehost.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.host.File(w.as(ada), repository, "a.py", 100); err == nil {
		t.Error("its files are read")
	}
	server := w.gitServer()
	if w.clone(server, ada, address) == nil {
		t.Error("it is cloned")
	}
	if found := contents(t, w.tree(id, 2)); found["a.py"] != "2" {
		t.Errorf("version 2 has %v", found)
	}
}
