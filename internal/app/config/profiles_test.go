package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"cairn/internal/sessions/sizes"
)

func TestProfilesOfEngines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cairn.yaml")
	err := os.WriteFile(path, []byte(`
demo: true
data: `+t.TempDir()+`
sessions:
  engines:
    - name: local
      kind: local
      profiles:
        - {name: small, label: Small}
        - {name: large, memory: 16GiB, cpus: 4, disk: 100GiB, for: [Example.edu, lab.example.org]}
        - {name: huge, memory: 64GiB, for: operators}
        - {name: open, for: everyone}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	standard := sizes.Limits{MemoryBytes: 2 << 30, CPUs: 1, DiskBytes: 10 << 30}
	got := settings.Sessions.Engines[0].SessionProfiles(standard)
	want := []sizes.Profile{
		{Name: "small", Label: "Small", Limits: standard},
		{Name: "large", Label: "large", Limits: sizes.Limits{MemoryBytes: 16 << 30, CPUs: 4, DiskBytes: 100 << 30}, For: sizes.Audience{Domains: []string{"example.edu", "lab.example.org"}}},
		{Name: "huge", Label: "huge", Limits: sizes.Limits{MemoryBytes: 64 << 30, CPUs: 1, DiskBytes: 10 << 30}, For: sizes.Audience{Operators: true}},
		{Name: "open", Label: "open", Limits: standard},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the sizes are %+v, want %+v", got, want)
	}
}
