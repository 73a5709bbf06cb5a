package agent_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// Whatever a session makes of its folder, the agent saves, packs, brings back and deletes that alone, and nothing outside it.
func TestHostileWorkStaysInItsFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.prepare(agentapi.Permit{})
	secret := filepath.Join(b.options.Root, "secret")
	if err := os.WriteFile(secret, []byte("from outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.put("kept.txt", "kept")
	link := func(target, name string) {
		if err := os.Symlink(target, b.work(name)); err != nil {
			t.Fatal(err)
		}
	}
	link(secret, "a file outside")
	link(b.options.Root, "a folder outside")
	link("../../../../../../../../../../etc/passwd", "upwards")
	link("itself", "itself")
	if err := unix.Mkfifo(b.work("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	_ = unix.Mknod(b.work("device"), unix.S_IFCHR|0o666, 0x0101) // of the memory; only root can make it
	b.put("\xff\xfe", "a name of bytes")
	b.put("a\n\x1b[2J", "a name for terminals")
	sparse, err := os.Create(b.work("sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if err := sparse.Truncate(1 << 40); err != nil {
		t.Fatal(err)
	}
	if err := sparse.Close(); err != nil {
		t.Fatal(err)
	}
	b.ask(t.Context(), "PUT", session+"/phase", agentapi.Phase{Owner: "ann@example.org", Phase: engine.Ended, Launch: 1, Cause: engine.VersionStop})
	status, text := b.ask(t.Context(), "GET", session+"/versions?most=1", nil)
	var list agentapi.Versions
	if err := json.Unmarshal([]byte(text), &list); err != nil || status != http.StatusOK || len(list.Versions) != 1 {
		t.Fatalf("%v: %d %s", err, status, text)
	}
	version := list.Versions[0]
	packed := b.archive(session + "/versions/" + version.ID + "/archive")
	about := packed["About this archive.txt"]
	for _, lacking := range []string{"a file outside", "a folder outside", "itself", "upwards", "sparse"} {
		if !strings.Contains(about, strconv.Quote(lacking)) {
			t.Errorf("what was left out doesn't have %q: %s", lacking, about)
		}
	}
	delete(packed, "About this archive.txt")
	if want := map[string]string{"kept.txt": "kept", "__": "a name of bytes", "a__[2J": "a name for terminals"}; !maps.Equal(packed, want) {
		t.Errorf("the archive has %q", packed)
	}
	// A link in place of what is restored isn't written through.
	if err := os.Remove(b.work("kept.txt")); err != nil {
		t.Fatal(err)
	}
	link(secret, "kept.txt")
	if status, text := b.ask(t.Context(), "POST", session+"/restore", agentapi.Restore{Version: version.ID, Path: []byte("kept.txt"), InPlace: true}); status/100 != 2 {
		t.Errorf("restoring: %d %s", status, text)
	}
	if text, err := os.ReadFile(b.work("kept.txt")); err != nil || string(text) != "kept" {
		t.Errorf("restored: %q, %v", text, err)
	}
	if status, text := b.ask(t.Context(), "DELETE", session, nil); status/100 != 2 {
		t.Errorf("deleting: %d %s", status, text)
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "from outside" {
		t.Errorf("what was outside is %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(b.options.Root, session)); !os.IsNotExist(err) {
		t.Errorf("the session's folder is there: %v", err)
	}
}

// archive asks for an archive and returns its files.
func (b *bench) archive(path string) map[string]string {
	b.Helper()
	status, text := b.ask(b.Context(), "GET", path, nil)
	if status != http.StatusOK {
		b.Fatalf("%s: %d %s", path, status, text)
	}
	content, err := zip.NewReader(bytes.NewReader([]byte(text)), int64(len(text)))
	if err != nil {
		b.Fatal(err)
	}
	found := map[string]string{}
	for _, file := range content.File {
		if file.UncompressedSize64 > 1<<20 || file.FileInfo().IsDir() {
			continue
		}
		opened, err := file.Open()
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			b.Fatal(err)
		}
		found[file.Name] = string(text)
	}
	return found
}
