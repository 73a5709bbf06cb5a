package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sharing/client"
)

// clientOf returns a client of the world's server with a token; "" for none.
func (w *matrixWorld) clientOf(token string) *client.Client {
	w.t.Helper()
	opened, err := client.Open(func(name string) string {
		return map[string]string{client.AddressVariable: w.server.URL, client.TokenVariable: token}[name]
	}, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return opened
}

// TestTheClientOfAServer searches, downloads and starts a session with the client of cairn search, get and run.
func TestTheClientOfAServer(t *testing.T) {
	t.Parallel()
	world := newMatrixWorld(t)
	token := world.newToken("author", identity.ScopeRead, identity.ScopeRun)
	author, stranger := world.clientOf(token), world.clientOf("")

	found, total, err := author.Search(t.Context(), client.Query{Text: "hidden data", Type: "dataset", Limit: 1})
	if err != nil || total != 1 || found[0].Name != "Hidden data" || !strings.Contains(string(found[0].JSON), `"privacy":"PRIVATE"`) {
		t.Fatal(found, total, err)
	}
	if _, total, err := stranger.Search(t.Context(), client.Query{Text: "hidden", Limit: 10}); total != 0 || err != nil {
		t.Errorf("a stranger finds %d private entries: %v", total, err)
	}
	id, err := author.EntryID(author.Address(found[0]))
	if err != nil || id != found[0].ID {
		t.Errorf("the address of %s leads to %s: %v", found[0].ID, id, err)
	}
	if _, err := stranger.Entry(t.Context(), id); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a stranger sees it: %v", err)
	}

	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	files := map[string]client.Downloaded{}
	download := client.Download{
		Client: author, Folder: root, Progress: func(string, int64, int64) {}, Done: func(file client.Downloaded) { files[file.Path] = file },
	}
	if err := download.Dataset(t.Context(), found[0]); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(folder, "a.csv"))
	if err != nil || string(content) != "time,A private entry\n1,2\n" || !files["a.csv"].Checked || len(files) != 3 {
		t.Errorf("downloaded %q, %v: %v", content, files, err)
	}
	if err := download.Dataset(t.Context(), found[0]); err != nil || !files["a.csv"].Unchanged {
		t.Errorf("the second time: %v %v", files, err)
	}
	notebook, err := author.Entry(t.Context(), world.ids.Replace("{hidden}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := download.Notebook(t.Context(), notebook); err != nil || files["A private entry, hidden.ipynb"].Size == 0 {
		t.Errorf("the notebook: %v %v", files, err)
	}

	session, err := author.Start(t.Context(), world.ids.Replace("{public}"), "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	if err := author.Follow(t.Context(), session, false, func(now client.Session) { last = now.Status }); err != nil || last != "RUNNING" {
		t.Errorf("the session is %s: %v", last, err)
	}
	if strings.Contains(string(session.JSON), "ticket") || !strings.Contains(string(session.JSON), "/sessions/"+session.ID+"/open") {
		t.Errorf("the answer leads into the session: %s", session.JSON)
	}
	reader := world.clientOf(world.newToken("author", identity.ScopeRead))
	if _, err := reader.Start(t.Context(), world.ids.Replace("{public}"), ""); err == nil || !strings.Contains(fault.MessageOf(err), `scope "run"`) {
		t.Errorf("a token without the scope run: %v", err)
	}
}
