package jupyterhub

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// Traversal: what is signed for the hub names datasets below the folder that both machines have, and nothing else.
func TestDatasetsAreNamedBelowTheSharedRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(filepath.Join(root, "..spikes"), 0o750); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(root, "spikes"): "spikes", filepath.Join(root, "a/b"): "a/b", filepath.Join(root, "..spikes"): "..spikes",
		root + "-of-others": "", filepath.Dir(root): "", "/etc": "",
	} {
		e := signer{dataRoot: root}
		got := e.reference(engine.Dataset{Name: "Spikes", Folder: "spikes", Path: path})
		if got.Path != want || (got.Unavailable == "") != (want != "") {
			t.Errorf("%s is signed as %q, unavailable: %q; want %q", path, got.Path, got.Unavailable, want)
		}
	}
	without := signer{}.reference(engine.Dataset{Name: "Spikes", Folder: "spikes", Path: "/etc"})
	if without.Path != "" || without.Unavailable == "" {
		t.Errorf("without a shared folder, %q is signed", without.Path)
	}
}

// What is signed holds longer than a launch may go on without progress.
func TestPermitsOutliveTheirLaunches(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for _, timeout := range []time.Duration{0, 3 * time.Minute, 20 * time.Minute} {
		e := signer{timeout: timeout, now: func() time.Time { return now }}
		options, err := e.permit(record{})
		if err != nil {
			t.Fatal(err)
		}
		var asked agentapi.Permit
		if err := json.Unmarshal([]byte(options["cairn"]), &asked); err != nil {
			t.Fatal(err)
		}
		if until := time.Unix(asked.Until, 0); !until.After(now.Add(timeout)) || until.After(now.Add(time.Hour)) {
			t.Errorf("a launch of %s is signed until %s later", timeout, until.Sub(now))
		}
	}
}

// A size replaces the limits that it has, and a hub whose server is adopted by another catalog server keeps it.
func TestSizesAreSigned(t *testing.T) {
	t.Parallel()
	e := signer{token: "token", now: time.Now, limits: Limits{Memory: 1, CPU: 2, Disk: 3}}
	for _, one := range []struct {
		size, want engine.Profile
		limits     Limits
	}{
		{engine.Profile{}, engine.Profile{}, Limits{Memory: 1, CPU: 2, Disk: 3}},
		{engine.Profile{Name: "small"}, engine.Profile{Name: "small", Memory: 1, CPU: 2, Disk: 3}, Limits{Memory: 1, CPU: 2, Disk: 3}},
		{
			engine.Profile{Name: "large", Memory: 8, CPU: 4, GPUs: 1, Image: "example/gpu:1"},
			engine.Profile{Name: "large", Memory: 8, CPU: 4, Disk: 3, GPUs: 1, Image: "example/gpu:1"},
			Limits{Memory: 8, CPU: 4, Disk: 3},
		},
	} {
		options, err := e.permit(record{Spec: engine.Spec{ID: "id", Profile: one.size}})
		if err != nil {
			t.Fatal(err)
		}
		var asked agentapi.Permit
		if err := json.Unmarshal([]byte(options["cairn"]), &asked); err != nil || asked.Limits != one.limits {
			t.Errorf("%+v is signed as %s, %v", one.size, options["cairn"], err)
		}
		spec, _, ours := e.signed(map[string]any{"cairn": options["cairn"], "signature": options["signature"]})
		if !ours || spec.Profile != one.want {
			t.Errorf("%+v is read as %+v", one.size, spec.Profile)
		}
	}
}

// The files of an archive travel to the hub, and come back from it with a server that another catalog server adopts.
func TestFilesOfArchivesAreSigned(t *testing.T) {
	t.Parallel()
	e := signer{token: "token", now: time.Now}
	files := []engine.RemoteFile{{Path: "raw/a.csv", URL: "https://zenodo.org/a", Bytes: 3, Digest: "md5:d41d8cd98f00b204e9800998ecf8427e"}}
	dataset := engine.Dataset{ID: "1", Name: "Waves", Folder: "waves", Key: "doi:10.5281/zenodo.1", Files: files}
	options, err := e.permit(record{Spec: engine.Spec{Datasets: []engine.Dataset{dataset}}, Launch: 1})
	if err != nil {
		t.Fatal(err)
	}
	spec, _, ours := e.signed(map[string]any{"cairn": options["cairn"], "signature": options["signature"]})
	if !ours || len(spec.Datasets) != 1 || !reflect.DeepEqual(spec.Datasets[0], dataset) {
		t.Errorf("%+v", spec.Datasets)
	}
}

// What this server keeps is fetched by hubs that can't mount it.
func TestKeptDatasetsAreFetchedByHubs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	shared := filepath.Join(root, "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	e := signer{token: "token", dataRoot: shared, now: time.Now}
	packed := []engine.RemoteFile{{Path: "files.tar", URL: "https://cairn.example/kept/files.tar", Token: "good for one launch", Bytes: -1}}
	for path, want := range map[string]engine.Dataset{
		filepath.Join(shared, "kept"): {ID: "1", Folder: "rates", Path: filepath.Join(shared, "kept")},
		filepath.Join(root, "kept"):   {ID: "1", Folder: "rates", Files: packed, Key: "kept:rates/v1"},
	} {
		dataset := engine.Dataset{ID: "1", Folder: "rates", Path: path, Files: packed, Key: "kept:rates/v1"}
		options, err := e.permit(record{Spec: engine.Spec{Datasets: []engine.Dataset{dataset}}, Launch: 1})
		if err != nil {
			t.Fatal(err)
		}
		spec, _, ours := e.signed(map[string]any{"cairn": options["cairn"], "signature": options["signature"]})
		if !ours || len(spec.Datasets) != 1 || !reflect.DeepEqual(spec.Datasets[0], want) {
			t.Errorf("%+v, want %+v", spec.Datasets, want)
		}
	}
}
