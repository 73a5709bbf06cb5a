package datasets_test

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/datasets"
	"cairn/internal/sessions/machine/sandbox"
)

const doi = "10.5281/zenodo.1234"

// bench is a store, and an archive that it fetches from.
type bench struct {
	*testing.T

	store   *datasets.Store
	folder  string
	address string
	files   map[string]string // what the archive sends, by path
	asked   atomic.Int64
	told    []string
	logged  []string
	pinned  []string
}

func newBench(t *testing.T, change ...func(*datasets.Options)) *bench {
	t.Helper()
	b := &bench{T: t, folder: t.TempDir(), files: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked.Add(1)
		content, known := b.files[r.URL.Path]
		switch {
		case r.URL.Path == "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case !known:
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte(content))
		}
	}))
	t.Cleanup(server.Close)
	b.address = server.URL
	options := datasets.Options{
		Folder: filepath.Join(b.folder, "cache"), CacheBytes: 1 << 20, Stall: time.Minute, Level: sandbox.LevelB, Now: time.Now,
		Web: safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
	}
	for _, alter := range change {
		alter(&options)
	}
	opened, err := datasets.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	b.store = opened
	return b
}

// Pin implements datasets.Session.
func (b *bench) Pin(key string) { b.pinned = append(b.pinned, key) }

// Log implements datasets.Session.
func (b *bench) Log(line string) { b.logged = append(b.logged, line) }

// add lets the archive have a file, and returns how a record names it.
func (b *bench) add(path, content string) engine.RemoteFile {
	sum := md5.Sum([]byte(content))
	address := fmt.Sprintf("/%d", len(b.files))
	b.files[address] = content
	return engine.RemoteFile{Path: path, URL: b.address + address, Bytes: int64(len(content)), Digest: "md5:" + hex.EncodeToString(sum[:])}
}

// place puts a dataset of these files into a new session, and returns the folder that the session sees.
func (b *bench) place(files ...engine.RemoteFile) (string, error) {
	b.Helper()
	return b.placeAs(engine.Dataset{ID: "1", Name: "Waves", Folder: "zenodo.1234", Key: "doi:" + doi, Files: files})
}

func (b *bench) placeAs(dataset engine.Dataset) (string, error) {
	b.Helper()
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	mounts, err := b.store.Place(b.Context(), b, root, []engine.Dataset{dataset}, func(said string) { b.told = append(b.told, said) })
	if err != nil {
		return "", err
	}
	return mounts[1].From, nil
}

// kept returns what the cache has.
func (b *bench) kept() []string {
	b.Helper()
	entries, err := os.ReadDir(filepath.Join(b.folder, "cache"))
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for _, one := range entries {
		names = append(names, one.Name())
	}
	return names
}

// wantMissing checks that a dataset can't be had for a reason, and that nothing of it is kept.
func (b *bench) wantMissing(err error, reason string) {
	b.Helper()
	missing, ok := errors.AsType[*datasets.MissingError](err)
	if !ok || !slices.Equal(missing.IDs, []string{"1"}) || fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), reason) {
		b.Errorf("%v, want %q", err, reason)
	}
	if kept := b.kept(); len(kept) > 0 {
		b.Errorf("%q is kept", kept)
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	name := filepath.Join(elements...)
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	about, err := os.Stat(name)
	if err != nil || about.Mode().Perm() != 0o444 {
		t.Errorf("%s has the mode %v", name, about.Mode())
	}
	return string(content)
}

func TestTheFilesOfARecordAreFetchedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	files := []engine.RemoteFile{b.add("data.csv", "1,2,3\n"), b.add("raw/deep/ü #?.txt", "words"), b.add("raw/pack.zip", "not unpacked"), b.add("empty", "")}
	unknown := b.add("table.csv", "a,b\n")
	unknown.Digest, unknown.Bytes = "", -1
	for range 2 {
		folder, err := b.place(append(files, unknown)...)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"data.csv": "1,2,3\n", "raw/deep/ü #?.txt": "words", "raw/pack.zip": "not unpacked", "empty": "", "table.csv": "a,b\n"} {
			if got := read(t, folder, name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		if b.asked.Load() != 5 {
			t.Errorf("the archive was asked %d times", b.asked.Load())
		}
	}
	if len(b.pinned) != 2 || b.pinned[0] != b.pinned[1] || len(b.logged) != 5 || !strings.Contains(strings.Join(b.told, "\n"), "“Waves”: file 2 of 5, ") {
		t.Errorf("%q %q %q", b.pinned, b.logged, b.told)
	}
	sum := sha256.Sum256([]byte("a,b\n"))
	about, err := os.ReadFile(filepath.Join(b.folder, "cache", b.pinned[0], "dataset.json"))
	if err != nil || !strings.Contains(string(about), hex.EncodeToString(sum[:])) || !strings.Contains(string(about), "doi:"+doi) {
		t.Errorf("%s %v", about, err)
	}
	// An archive that doesn't answer isn't needed for what is here.
	folder, err := b.placeAs(engine.Dataset{ID: "1", Name: "Waves", Folder: "zenodo.1234", Key: "doi:" + doi, Unavailable: "Zenodo doesn't answer."})
	if err != nil || read(t, folder, "data.csv") != "1,2,3\n" {
		t.Error(err)
	}
}

func TestTheOnlyFileOfARecordIsUnpacked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	entry, err := archive.Create("deep/zipped.csv")
	if err == nil {
		_, err = entry.Write([]byte("7,8,9\n"))
	}
	if err := errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	folder, err := b.place(b.add("waves.zip", packed.String()))
	if err != nil || read(t, folder, "deep", "zipped.csv") != "7,8,9\n" || !strings.Contains(strings.Join(b.told, "\n"), "100 % of ") {
		t.Errorf("%v %q", err, b.told)
	}
	single := newBench(t)
	folder, err = single.place(single.add("one.csv", "1\n"))
	if err != nil || read(t, folder, "one.csv") != "1\n" {
		t.Error(err)
	}
}

func TestARecordThatIsNotWhatTheArchiveSaysIsNotKept(t *testing.T) {
	t.Parallel()
	for reason, change := range map[string]func(b *bench, file *engine.RemoteFile){
		"another file “b.csv” than the one":   func(_ *bench, file *engine.RemoteFile) { file.Digest = "md5:" + strings.Repeat("0", 32) },
		"“b.csv” of another size than the 1 ": func(_ *bench, file *engine.RemoteFile) { file.Bytes = 1 },
		"“b.csv” of another size than the 9 ": func(_ *bench, file *engine.RemoteFile) { file.Bytes, file.Digest = 9, "" },
		"a checksum of “b.csv” that can't":    func(_ *bench, file *engine.RemoteFile) { file.Digest = "crc32:1234" },
		"404 Not Found":                       func(_ *bench, file *engine.RemoteFile) { file.URL += "/gone" },
		"127.0.0.1 can't be reached on the":   func(b *bench, file *engine.RemoteFile) { file.URL = b.address + "/inside" },
		"It is larger than 1 MiB":             func(_ *bench, file *engine.RemoteFile) { file.Bytes = 1 << 20 },
		"which points elsewhere":              func(_ *bench, file *engine.RemoteFile) { file.Path = "../../b.csv" },
		"“a.csv” can't be written":            func(_ *bench, file *engine.RemoteFile) { file.Path = "a.csv" },
		"“a.csv/b” can't be written":          func(_ *bench, file *engine.RemoteFile) { file.Path = "a.csv/b" },
		"too large": func(b *bench, file *engine.RemoteFile) {
			file.Bytes, file.Digest = -1, ""
			b.files["/1"] = strings.Repeat("x", 1<<20)
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			files := []engine.RemoteFile{b.add("a.csv", "1,2\n"), b.add("b.csv", "3,4\n")}
			change(b, &files[1])
			_, err := b.place(files...)
			b.wantMissing(err, reason)
		})
	}
	lacking := newBench(t, func(options *datasets.Options) { options.Lacks = func() bool { return true } })
	_, err := lacking.place(lacking.add("a.csv", "1"))
	lacking.wantMissing(err, "disk")
	offline := newBench(t, func(options *datasets.Options) { options.Web = nil })
	_, err = offline.place(offline.add("a.csv", "1"))
	offline.wantMissing(err, "doesn't fetch datasets")
	strict := newBench(t, func(options *datasets.Options) { options.Web = safehttp.New(safehttp.Options{AllowHTTP: true}) })
	_, err = strict.place(strict.add("a.csv", "1"))
	strict.wantMissing(err, "127.0.0.1 can't be reached")
	if strict.asked.Load() > 0 {
		t.Error("an archive in a private network was asked")
	}
	unavailable := newBench(t)
	_, err = unavailable.placeAs(engine.Dataset{ID: "1", Name: "Waves", Folder: "zenodo.1234", Key: "doi:" + doi, Unavailable: "Zenodo doesn't answer."})
	unavailable.wantMissing(err, "Zenodo doesn't answer.")
}
