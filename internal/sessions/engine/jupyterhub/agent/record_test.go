package agent_test

import (
	"crypto/md5"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agent"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// A dataset of several files at an archive is fetched on the hub, checked, and used again without the archive.
func TestTheFilesOfAnArchiveAreFetchedOnTheHub(t *testing.T) {
	t.Parallel()
	asked := 0
	archive := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if wants := r.Header.Get("Authorization"); (wants == "Bearer good for one launch") != strings.HasPrefix(r.URL.Path, "/kept/") {
			t.Errorf("%s is asked for with %q", r.URL.Path, wants)
		}
		_, _ = w.Write([]byte(r.URL.Path))
	}))
	t.Cleanup(archive.Close)
	b := newBench(t, func(options *agent.Options) {
		options.DatasetBytes, options.Stall = 1<<20, time.Minute
		options.Web = safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	})
	file := func(path string) engine.RemoteFile {
		sum := md5.Sum([]byte("/" + path))
		return engine.RemoteFile{Path: path, URL: archive.URL + "/" + path, Bytes: int64(len(path) + 1), Digest: "md5:" + hex.EncodeToString(sum[:])}
	}
	waves := agentapi.Dataset{ID: "1", Name: "Waves", Folder: "waves", Key: "doi:10.5281/zenodo.1", Files: []engine.RemoteFile{file("a.csv"), file("raw/b.csv")}}
	read := func(permit agentapi.Dataset, name string) string {
		t.Helper()
		made := b.prepare(agentapi.Permit{Datasets: []agentapi.Dataset{permit}})
		if made.Done == nil {
			t.Fatalf("%+v", made.Failed)
		}
		for _, mount := range made.Done.Mounts {
			if mount.To == "/session/work/data/waves" {
				content, err := os.ReadFile(filepath.Join(mount.From, name))
				if err != nil {
					t.Error(err)
				}
				return string(content)
			}
		}
		t.Fatalf("%+v", made.Done.Mounts)
		return ""
	}
	for range 2 {
		if got := read(waves, "raw/b.csv"); got != "/raw/b.csv" || asked != 2 {
			t.Errorf("%q, asked %d times", got, asked)
		}
	}
	ours := agentapi.Dataset{ID: "1", Name: "Waves", Folder: "waves", Key: "kept:waves/v1", Files: []engine.RemoteFile{
		{Path: "a.csv", URL: archive.URL + "/kept/a.csv", Token: "good for one launch", Bytes: -1},
	}}
	if got := read(ours, "a.csv"); got != "/kept/a.csv" {
		t.Errorf("%q", got)
	}
	silent := waves
	silent.Files, silent.Unavailable = nil, "Zenodo doesn't answer."
	if got := read(silent, "a.csv"); got != "/a.csv" {
		t.Errorf("%q", got)
	}
	other := waves
	other.Key, other.Files = "doi:10.5281/zenodo.2", []engine.RemoteFile{file("a.csv")}
	other.Files[0].Digest = "md5:" + strings.Repeat("0", 32)
	failed := b.prepare(agentapi.Permit{Datasets: []agentapi.Dataset{other}}).Failed
	if failed == nil || failed.Code != diagnosis.DatasetMissing || !slices.Equal(failed.Missing, []string{"1"}) || !strings.Contains(failed.Reason, "checksum") {
		t.Errorf("%+v", failed)
	}
	silent.Key = "doi:10.5281/zenodo.3"
	if failed := b.prepare(agentapi.Permit{Datasets: []agentapi.Dataset{silent}}).Failed; failed == nil || failed.Reason != "Zenodo doesn't answer." {
		t.Errorf("%+v", failed)
	}
}
