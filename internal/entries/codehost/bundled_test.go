package codehost_test

import (
	"testing"
	"testing/fstest"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

func TestBundledRepositoriesLookLikeOthers(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	hosts := codehost.NewHosts(map[string]codehost.Host{"127.0.0.1:8080": codehost.Bundled{
		"demo/git/first-steps": fstest.MapFS{"a/b/hello.txt": file("hello\n"), "a.d/empty": file(""), "a.txt": file("x")},
	}}, nil)
	repository, err := codehost.Parse("http://127.0.0.1:8080/demo/git/first-steps.git")
	if err != nil || !hosts.Knows(repository) {
		t.Fatal(repository, err)
	}
	// As `git ls-tree` of the same content says.
	want := map[string][]codehost.Entry{
		"": {
			{Type: "dir", Path: "a", Name: "a", SHA: "15dc739cd849c3e11113ba1d14fdf5b1235b1c4d"},
			{Type: "dir", Path: "a.d", Name: "a.d", SHA: "417c01c8795a35b8e835113a85a5c0c1c77f67fb"},
			{Type: "file", Path: "a.txt", Name: "a.txt", Size: 1, SHA: "c1b0730e0133447badcfd47fd144e254807b06e1"},
		},
		"a/b": {{Type: "file", Path: "a/b/hello.txt", Name: "hello.txt", Size: 6, SHA: "ce013625030ba8dba906f756967f9e9ca394464a"}},
	}
	for path, entries := range want {
		listing, err := hosts.List(t.Context(), repository, path)
		if err != nil || listing.Branch != "main" || listing.FilesURL != "" || listing.Stale || listing.Measures != (codehost.Measures{SizeBytes: 7}) {
			t.Errorf("%q: %+v %v", path, listing, err)
		}
		for i, one := range listing.Entries {
			if i >= len(entries) || one != entries[i] {
				t.Errorf("%q: %+v", path, one)
			}
		}
	}
	if file, err := hosts.File(t.Context(), repository, "a/b/hello.txt", 10); err != nil || string(file.Content) != "hello\n" {
		t.Error(file, err)
	}
	if file, err := hosts.Fresh(t.Context(), repository, []string{"none", "a.txt"}, 10); err != nil || file.Path != "a.txt" {
		t.Error(file, err)
	}
	for name, one := range map[string]struct {
		path string
		kind fault.Kind
	}{
		"absent": {"none", fault.NotFound}, "a folder": {"a", fault.NotFound}, "out of it": {"../secret", fault.Invalid}, "too large": {"a/b/hello.txt", fault.TooLarge},
	} {
		if _, err := hosts.File(t.Context(), repository, one.path, 5); fault.KindOf(err) != one.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{"none", "a.txt"} {
		if _, err := hosts.List(t.Context(), repository, path); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
	repository.Name = "other"
	if _, err := hosts.Fresh(t.Context(), repository, []string{"a"}, 5); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestHostsThatAreNotKnown(t *testing.T) {
	hosts := codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.Bundled{}}, nil)
	repository := codehost.Repository{Host: "gitlab.example", Owner: "a", Name: "b"}
	_, listErr := hosts.List(t.Context(), repository, "")
	_, fileErr := hosts.File(t.Context(), repository, "a", 5)
	_, freshErr := hosts.Fresh(t.Context(), repository, []string{"a"}, 5)
	for _, err := range []error{listErr, fileErr, freshErr} {
		if fault.KindOf(err) != fault.NotFound || fault.MessageOf(err) != "This server can't read repositories on gitlab.example." {
			t.Error(err)
		}
	}
	if hosts.Knows(repository) {
		t.Error("it is known")
	}
}
