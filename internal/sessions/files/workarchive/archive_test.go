package workarchive

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

func TestNamesThatAllSystemsReadAlike(t *testing.T) {
	t.Parallel()
	folder := newArchiveFolder("")
	for _, test := range []struct{ name, want string }{
		{"data.csv", "data.csv"},
		{"日本 ü.txt", "日本 ü.txt"},
		{".git", ".git"},
		{`..\..\up.txt`, ".._.._up.txt"},
		{`C:\x.txt`, "C__x.txt"},
		{"two\nlines\x1b[2J\x7f", "two_lines_[2J_"},
		{"file\u202etxt.exe", "file_txt.exe"},
		{"iso\u2066late\u200f\u2028", "iso_late__"},
		{"broken\xff\xfe", "broken__"},
		{"a*b?c\"d<e>f|g", "a_b_c_d_e_f_g"},
		{"...", "___"},
		{"blank ", "blank_"},
		{".git. ", ".git__"},
		{"CON", "_CON"},
		{"nul.txt", "_nul.txt"},
		{"Com1 .x", "_Com1 .x"},
		{"lpt²", "_lpt²"},
		{"console", "console"},
		{"DATA.csv", "DATA (2).csv"},
		{"Data.csv", "Data (3).csv"},
		{"data (4).csv", "data (4).csv"},
		{"dAta.csv", "dAta (5).csv"},
		{"u\u0308.txt", "u\u0308.txt"},
		{"ü.txt", "ü (2).txt"},
		{"a:b", "a_b"},
		{"a_b", "a_b (2)"},
		{".CON", ".CON"},
		{".con", ".con (2)"},
		{strings.Repeat("é", 127), strings.Repeat("é", 127)},
		{strings.Repeat("É", 127), strings.Repeat("É", 125) + " (2)"},
	} {
		if got, changed := folder.claim(test.name); got != test.want || changed != (got != test.name) {
			t.Errorf("%q is %q, want %q", test.name, got, test.want)
		}
	}
}

const workName = "work"

// work is a work folder of a test.
type work struct {
	*testing.T

	session, folder string
}

func newWork(t *testing.T) work {
	session := t.TempDir()
	folder := filepath.Join(session, workName)
	w := work{t, session, folder}
	w.must(os.Mkdir(folder, 0o755))
	return w
}

func (w work) put(name, content string) string {
	w.Helper()
	name = filepath.Join(w.folder, name)
	w.must(os.MkdirAll(filepath.Dir(name), 0o755))
	w.must(os.WriteFile(name, []byte(content), 0o644))
	return name
}

func (w work) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// unpacked returns the files of an archive, what folders have is "/".
func (w work) unpacked(packed []byte) (files map[string]string, dates map[string]time.Time) {
	w.Helper()
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	w.must(err)
	files, dates = map[string]string{}, map[string]time.Time{}
	for _, file := range archive.File {
		content := []byte("/")
		if !strings.HasSuffix(file.Name, "/") {
			opened, err := file.Open()
			w.must(err)
			content, err = io.ReadAll(opened)
			w.must(err)
		}
		if _, twice := files[file.Name]; twice {
			w.Errorf("%q is there twice", file.Name)
		}
		files[file.Name], dates[file.Name] = string(content), file.Modified
	}
	return files, dates
}

func (w work) archive() (files map[string]string, dates map[string]time.Time) {
	w.Helper()
	var packed bytes.Buffer
	w.must(Write(w.Context(), w.session, workName, &packed))
	return w.unpacked(packed.Bytes())
}

func TestAnArchiveIsSafeToUnpackAndSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	outside := newWork(t).put("secret", "secret")
	old := time.Date(2020, 2, 29, 12, 30, 0, 0, time.UTC)
	w.must(os.Chtimes(w.put("repo/a.txt", "a"), old, old))
	ancient := time.Unix(-1e9, 0)
	w.must(os.Chtimes(w.put("repo/ancient", "b"), ancient, ancient))
	for _, name := range []string{
		"data/spikes/values.csv", "repo/.git/hooks/post-checkout", "repo/.GIT/Hooks/x", "repo/.git/modules/sub/hooks/x",
		"repo/.ipynb_checkpoints/a-checkpoint.ipynb", "repo/__pycache__/a.pyc", ".cache/x",
	} {
		w.put(name, "left out")
	}
	for name, content := range map[string]string{
		"repo/.git/HEAD": "head", "repo/.git/refs/heads/hooks": "branch", "repo/hooks/x": "hooks", "repo/data/x": "kept",
		`repo/..\..\up.txt`: "up", "repo/A.TXT": "A", "repo/aux/x": "device",
	} {
		w.put(name, content)
	}
	w.put(notesName, "the user's")
	w.must(os.Symlink(outside, filepath.Join(w.folder, "link")))
	w.must(unix.Mkfifo(filepath.Join(w.folder, "pipe"), 0o600))
	w.must(os.Chmod(filepath.Join(w.folder, "repo/A.TXT"), 0o4755))
	w.must(os.Chtimes(filepath.Join(w.folder, "repo"), old, old))
	files, dates := w.archive()
	notes := ""
	for _, name := range []string{notesName, "About this archive (2).txt"} {
		if files[name] != "the user's" {
			notes = files[name]
		}
		delete(files, name)
	}
	for _, name := range []string{"repo/a.txt", "repo/A.TXT"} { // which of them gets the number depends on the order of the folder
		if base, extension := name[:6], name[6:]; files[base+" (2)"+extension] != "" {
			files[name] = files[base+" (2)"+extension]
			dates[name] = dates[base+" (2)"+extension]
			delete(files, base+" (2)"+extension)
		}
	}
	want := map[string]string{
		"repo/": "/", "repo/a.txt": "a", "repo/A.TXT": "A", "repo/ancient": "b", "repo/.git/": "/", "repo/.git/HEAD": "head", "repo/hooks/": "/",
		"repo/.git/refs/": "/", "repo/.git/refs/heads/": "/", "repo/.git/refs/heads/hooks": "branch", "repo/hooks/x": "hooks",
		"repo/data/": "/", "repo/data/x": "kept", "repo/.._.._up.txt": "up", "repo/_aux/": "/", "repo/_aux/x": "device",
		"repo/.git/modules/": "/", "repo/.git/modules/sub/": "/",
	}
	for name, content := range want {
		if files[name] != content && !strings.Contains(name, ".git/") {
			t.Errorf("%s holds %q, want %q", name, files[name], content)
		}
	}
	for name, content := range files {
		if strings.Contains(content, "secret") || content == "left out" {
			t.Errorf("%s holds %q", name, content)
		}
	}
	for _, told := range []string{
		`"repo/.git/hooks": Git`, `"repo/__pycache__": Caches`, `"link": It's a link`, `"pipe"`, `"repo/aux" is here as "repo/_aux"`, `"repo/..\\..\\up.txt" is here`,
	} {
		if !strings.Contains(notes, told) {
			t.Errorf("the archive doesn't say %s:\n%s", told, notes)
		}
	}
	if got := dates["repo/a.txt"]; !got.Equal(old) || !dates["repo/"].Equal(old) {
		t.Errorf("the dates are %v and %v", got, dates["repo/"])
	}
	if got := dates["repo/ancient"]; got.Year() != 1980 {
		t.Errorf("a date before those of zip files is %v", got)
	}
}

// Holes and further names cost the reader of the archive and this server as much as data, but their owner nothing.
func TestAnArchiveCostsNoMoreThanTheDiskHolds(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	for _, name := range []string{"one", "two", "three"} {
		w.must(os.Truncate(w.put(name, "begins"), 8<<30))
	}
	w.must(os.Truncate(w.put("small", "begins"), 1<<20))
	end, err := os.OpenFile(filepath.Join(w.folder, "small"), os.O_WRONLY, 0)
	w.must(err)
	_, err = end.WriteAt([]byte("ends"), 1<<20)
	w.must(err)
	w.must(end.Close())
	files, _ := w.archive()
	if got := files["small"]; len(got) != 1<<20+4 || strings.Trim(got, "\x00")[:6] != "begins" || !strings.HasSuffix(got, "\x00ends") {
		t.Errorf("a small sparse file has %d bytes", len(got))
	}
	for _, name := range []string{"one", "two", "three"} {
		if _, there := files[name]; there || !strings.Contains(files[notesName], `"`+name+`": It takes 4 KiB on the disk`) {
			t.Errorf("%s: %v\n%s", name, there, files[notesName])
		}
	}
	linked := newWork(t)
	first := linked.put("1", strings.Repeat("x", 8192))
	for _, name := range []string{"2", "3", "4"} {
		linked.must(os.Link(first, filepath.Join(linked.folder, name)))
	}
	root, err := os.OpenRoot(linked.folder)
	w.must(err)
	defer root.Close()
	var packed bytes.Buffer
	a := newArchiver(t.Context(), &packed)
	a.free = archiveFree // all of it was used
	w.must(a.write(root))
	w.must(a.zip.Close())
	if files, _ := linked.unpacked(packed.Bytes()); len(files) != 3 || files[notesName] == "" {
		t.Errorf("of a file with four names %d are there", len(files)-1)
	}
}

func TestDeepFoldersAreArchivedToALimit(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	at, err := unix.Open(w.folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	w.must(err)
	for range 1500 {
		w.must(unix.Mkdirat(at, "d", 0o700))
		next, err := unix.Openat(at, "d", unix.O_PATH|unix.O_DIRECTORY, 0)
		w.must(err)
		w.must(unix.Close(at))
		at = next
	}
	w.must(unix.Close(at))
	w.put("kept", "kept")
	files, _ := w.archive()
	if files["kept"] != "kept" || files[strings.Repeat("d/", filetree.MaxDepth-1)] != "/" || len(files) != filetree.MaxDepth+1 ||
		!strings.Contains(files[notesName], "nested too deep") {
		t.Errorf("%d files, and the archive says %q", len(files), files[notesName])
	}
}

func TestAnArchiveReadsWithTheRightsOfItsSession(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // all accounts are ours then
	}
	const account = 0x70000001
	w := newWork(t)
	w.must(os.Chown(w.folder, account, account))
	w.must(os.Chown(w.put("own", "own"), account, account))
	w.must(os.Chmod(w.put("ours", "secret"), 0o600))
	w.must(os.Chmod(w.folder, 0)) // as a session can do
	var packed bytes.Buffer
	w.must(Write(t.Context(), w.session, workName, &packed))
	files, _ := w.unpacked(packed.Bytes())
	if files["own"] != "own" || files["ours"] != "" || !strings.Contains(files[notesName], `"ours": It couldn't be read.`) {
		t.Errorf("got %q", files)
	}
}
