package engine

import (
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func valid() Spec {
	return Spec{
		ID:         "01890a5d-ac96-774b-bcce-b302099a8057",
		Owner:      "ann@example.org",
		Repository: Repository{URL: "https://example.org/ann/notes.git", Folder: "notes"},
		Datasets:   []Dataset{{Name: "Spikes", Folder: "spikes", Path: "/srv/spikes"}},
	}
}

func TestValidateAcceptsWhatTheGatewayMakes(t *testing.T) {
	spec := valid()
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	spec.Owner, spec.Batch = "", &Batch{Network: true}
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	spec = valid()
	spec.Repository.URL = "http://127.0.0.1:8080/demo/notes.git"
	spec.Repository.LocalPath = "/srv/notes.git"
	spec.Datasets = append(spec.Datasets, Dataset{Name: "Gone", Folder: "gone", Unavailable: "It was removed."},
		Dataset{Name: "Far", Folder: "far", URL: "https://example.org/spikes.zip?download=1"})
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestABatchSessionHasNoOwner(t *testing.T) {
	spec := valid()
	spec.Batch = &Batch{}
	found, _ := spec.Validate().(*fault.Fault)
	if found == nil || found.Kind != fault.Invalid || found.Fields[0].Location != "owner" {
		t.Errorf("got %v", found)
	}
}

func TestValidateNamesTheBadField(t *testing.T) {
	for location, breakIt := range map[string]func(*Spec){
		"id":                   func(s *Spec) { s.ID = "../../etc" },
		"owner":                func(s *Spec) { s.Owner = "Ann@example.org" },
		"repository.url":       func(s *Spec) { s.Repository.URL = "" },
		"repository.localPath": func(s *Spec) { s.Repository.LocalPath = "../notes" },
		"repository.folder":    func(s *Spec) { s.Repository.Folder = "data" },
		"datasets[0].folder":   func(s *Spec) { s.Datasets[0].Folder = "../x" },
		"datasets[1].folder":   func(s *Spec) { s.Datasets = append(s.Datasets, s.Datasets[0]) },
		"datasets[0].path":     func(s *Spec) { s.Datasets[0].Path = "spikes" },
		"datasets[0]":          func(s *Spec) { s.Datasets[0].URL = "https://example.org/spikes.zip" },
		"datasets[0].key":      func(s *Spec) { s.Datasets[0].Key = "doi:10.1234/x" },
		"datasets[0].files":    func(s *Spec) { s.Datasets[0] = ofArchive("http://example.org/x") },
		"datasets[0].url":      func(s *Spec) { s.Datasets[0].Path, s.Datasets[0].URL = "", "http://example.org/spikes.zip" },
	} {
		spec := valid()
		breakIt(&spec)
		err := spec.Validate()
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v is not Invalid", location, err)
			continue
		}
		if got := err.(*fault.Fault).Fields[0].Location; got != location {
			t.Errorf("%s: the fault names %s", location, got)
		}
	}
}

func ofArchive(address string) Dataset {
	return Dataset{Folder: "waves", Key: "doi:10.1234/x", Files: []RemoteFile{{Path: "a", URL: address}}}
}

func TestDatasetsOfArchivesAreValid(t *testing.T) {
	many := ofArchive("https://example.org/x")
	many.Files = make([]RemoteFile, MostFiles+1)
	kept := Dataset{Folder: "waves", Key: "doi:10.1234/x", Unavailable: "It doesn't answer."}
	for _, one := range []struct {
		dataset Dataset
		valid   bool
	}{
		{ofArchive("https://example.org/x"), true},
		{ofArchive("http://127.0.0.1:8080/x"), true},
		{ofArchive("http://localhost/x"), true},
		{ofArchive("http://10.0.0.1/x"), false},
		{ofArchive("http://user:secret@127.0.0.1/x"), false},
		{ofArchive("file:///etc/passwd"), false},
		{many, false},
		{kept, true},
	} {
		spec := valid()
		spec.Datasets = []Dataset{one.dataset}
		if err := spec.Validate(); (err == nil) != one.valid {
			t.Errorf("%+v: %v", one.dataset, err)
		}
	}
}

// CVE-2021-39159, CVE-2021-39160, CVE-2024-56333: a crafted repository address reached git's command line.
func TestRepositoryAddressesThatReachCommandLinesAreRefused_CVE_2021_39159(t *testing.T) {
	for _, address := range []string{
		"", "-", "--upload-pack=touch /tmp/x", "-cprotocol.ext.allow=always", "ext::sh -c id", "file:///etc", "/etc", "../x",
		"ssh://git@example.org/x", "git://example.org/x", "git@example.org:x/y", "https://", "https:///x", "http:example.org/x",
		"https://-oProxyCommand=x/y", "https://ann:secret@example.org/x", "https://ann@example.org/x",
		"https://example.org/x y", "https://example.org/x\ny", "https://example.org/x\u00a0y", "https://example.org/\x00",
		"https://example.org\\@evil.test/x", "https://example.org/'x'", "https://example.org/x?token=1", "https://example.org/x#y",
		"https://example.org/", "HTTPS//example.org/x", "https://example.org/" + strings.Repeat("x", 3000),
	} {
		if err := CheckRepositoryURL(address); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestValidFolder(t *testing.T) {
	for name, want := range map[string]bool{
		"notes": true, "Notes_2.1+x-y": true, "_x": true, "": false, ".": false, "..": false, ".git": false, "-x": false,
		"a/b": false, "a b": false, "a\n": false, "ä": false, strings.Repeat("x", 100): true, strings.Repeat("x", 101): false,
	} {
		if ValidFolder(name) != want {
			t.Errorf("ValidFolder(%q) is not %v", name, want)
		}
	}
}

// Runtime names come from the UUID alone, so "user-a" + "b" can never be "user" + "a-b" (CVE-2020-15110).
func TestRuntimeNamesComeFromUUIDsAlone(t *testing.T) {
	for _, id := range []string{"", "user-a-b", "..", "../x", "01A1FE0D-E2D6-78C8-BFBB-6E1CE9BCA4C5", "{01a1fe0d-e2d6-78c8-bfbb-6e1ce9bca4c5}"} {
		spec := valid()
		spec.ID = id
		if err := spec.Validate(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v, want Invalid", id, err)
		}
	}
}
