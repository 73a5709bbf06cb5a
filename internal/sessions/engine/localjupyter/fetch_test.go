package localjupyter_test

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// library serves datasets over TLS, and counts what is asked of it.
func library(t *testing.T) (address string, web func(*localjupyter.Options), asked *atomic.Int64) {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(folder+"/tree/deep", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, folder+"/tree/deep/--help; $(id).csv", "4,5,6\n")
	tarGz(t, folder+"/tree", folder+"/tree.tar.gz")
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	entry, _ := archive.Create("deep/zipped.csv")
	_, _ = entry.Write([]byte("7,8,9\n"))
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, folder+"/pack.zip", packed.String())
	writeFile(t, folder+"/values.csv", "1,2,3\n")
	asked = &atomic.Int64{}
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		part := make([]byte, 1<<20)
		switch r.URL.Path {
		case "/drops.csv": // a byte now and then, forever
			for r.Context().Err() == nil {
				_, _ = w.Write(part[:1])
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(50 * time.Millisecond):
				}
			}
		case "/stream.csv": // as much as can be had, forever
			for r.Context().Err() == nil {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	certificates := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return server.URL, func(options *localjupyter.Options) { options.Web = localWeb(certificates) }, asked
}

func TestDatasetsAreFetchedOnceUnpackedAndReadOnly(t *testing.T) {
	t.Parallel()
	address, web, asked := library(t)
	b := newBench(t, web)
	b.open()
	for round := range 2 {
		spec := b.spec(b.url("working.git"))
		for _, name := range []string{"values.csv", "tree.tar.gz", "pack.zip"} {
			spec.Datasets = append(spec.Datasets, engine.Dataset{Name: name, Folder: name, URL: address + "/" + name + "?download=1"})
		}
		b.start(spec)
		b.await(spec.ID, engine.Running)
		b.wants("the datasets", b.cell(spec.ID, `
import os
os.chdir("data")
print(open("values.csv").read().strip(), open("tree.tar.gz/deep/--help; $(id).csv").read().strip(), open("pack.zip/deep/zipped.csv").read().strip(), open("spikes/values.csv").read())`),
			"1,2,3 4,5,6 7,8,9 1,2,3")
		b.wants("writing to them", b.cell(spec.ID, `open("data/pack.zip/new", "w")`), "OSError: [Errno 30]")
		if asked.Load() != 3 {
			t.Errorf("After round %d the datasets were asked for %d times", round, asked.Load())
		}
		b.stop(spec.ID)
	}
	digest := sha256.Sum256([]byte("1,2,3\n"))
	abouts, _ := filepath.Glob(b.options.Dir + "/cache/datasets/*/dataset.json")
	var told strings.Builder
	for _, name := range abouts {
		text, _ := os.ReadFile(name)
		told.Write(text)
	}
	if len(abouts) != 3 || !strings.Contains(told.String(), hex.EncodeToString(digest[:])) {
		t.Errorf("What is kept of the datasets is %s", told.String())
	}
}

// The files of an archive's record are fetched once, checked and shown in their folders; a wrong one ends the launch.
func TestDatasetsOfSeveralFilesAreFetchedOnceAndChecked(t *testing.T) {
	t.Parallel()
	address, web, asked := library(t)
	b := newBench(t, web)
	b.open()
	waves := engine.Dataset{ID: "waves", Name: "Waves", Folder: "waves", Key: "doi:10.5281/zenodo.1", Files: []engine.RemoteFile{
		{Path: "raw/a.csv", URL: address + "/values.csv", Bytes: 6},
		{Path: "pack.zip", URL: address + "/pack.zip", Bytes: -1},
	}}
	sum := md5.Sum([]byte("1,2,3\n"))
	waves.Files[0].Digest = "md5:" + hex.EncodeToString(sum[:])
	for range 2 {
		spec := b.spec(b.url("working.git"))
		spec.Datasets = append(spec.Datasets, waves)
		b.start(spec)
		b.await(spec.ID, engine.Running)
		b.wants("the files", b.cell(spec.ID, `
import os
print(open("data/waves/raw/a.csv").read().strip(), sorted(os.listdir("data/waves")))`), "1,2,3 ['pack.zip', 'raw']")
		if asked.Load() != 2 {
			t.Errorf("the archive was asked %d times", asked.Load())
		}
		b.stop(spec.ID)
	}
	spec := b.spec(b.url("working.git"))
	waves.Key, waves.Files = "doi:10.5281/zenodo.2", waves.Files[:1]
	waves.Files[0].Digest = "md5:" + strings.Repeat("0", 32)
	spec.Datasets = append(spec.Datasets, waves)
	b.start(spec)
	if status := b.awaitFailed(spec.ID); status.Code != diagnosis.DatasetMissing || !slices.Equal(status.Missing, []string{"waves"}) {
		t.Errorf("%+v", status)
	}
}

func TestDatasetsThatCannotBeHadEndTheLaunchByName(t *testing.T) {
	t.Parallel()
	address, web, _ := library(t)
	for name, test := range map[string]struct {
		reason   string
		deadline time.Duration // the default, where the end doesn't wait for it
	}{
		"gone.csv":   {"The dataset “gone.csv” couldn't be fetched: 127.0.0.1 answers 404 Not Found.", 0},
		"drops.csv":  {"The launch was stopped because it made no progress for 10s while the datasets were put in place (“drops.csv”: ", 10 * time.Second},
		"stream.csv": {"The dataset “stream.csv” couldn't be fetched: What 127.0.0.1 sends is too large: the limit is 4 MiB.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, web, func(options *localjupyter.Options) { options.CacheBytes, options.LaunchDeadline = 4<<20, test.deadline })
			b.open()
			spec := b.spec(b.url("working.git"))
			spec.Datasets = append(spec.Datasets, engine.Dataset{ID: "id of " + name, Name: name, Folder: name, URL: address + "/" + name})
			b.start(spec)
			status := b.awaitFailed(spec.ID)
			if !strings.HasPrefix(status.Reason, test.reason) || status.Code != diagnosis.DatasetMissing || stepOf(status, engine.StepDatasets).State != engine.Broken ||
				!slices.Equal(status.Missing, []string{"id of " + name}) {
				t.Errorf("The launch ended with %q for want of %q: %+v", status.Reason, status.Missing, status.Steps)
			}
		})
	}
}

// CVE-2024-43371 and others: the server fetched a user's address from its own network.
func TestDatasetsOfPrivateAddressesAreRefused_CVE_2024_43371(t *testing.T) {
	t.Parallel()
	address, _, asked := library(t)
	b := newBench(t, func(options *localjupyter.Options) { options.Web = safehttp.New(safehttp.Options{}) })
	b.open()
	spec := b.spec(b.url("working.git"))
	spec.Datasets = []engine.Dataset{{Name: "Private", Folder: "values.csv", URL: address + "/values.csv"}}
	b.start(spec)
	status := b.awaitFailed(spec.ID)
	if asked.Load() != 0 || !strings.HasPrefix(status.Reason, "The dataset “Private” couldn't be fetched: 127.0.0.1 can't be reached") {
		t.Errorf("The launch ended with %q, the server was asked %d times", status.Reason, asked.Load())
	}
}
