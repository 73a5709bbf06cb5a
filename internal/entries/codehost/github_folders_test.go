package codehost_test

import (
	"strings"
	"testing"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
)

func TestLargeFolders(t *testing.T) {
	for _, number := range []int{999, 1_000, 1_001, 10_000} {
		w := newWorld(t, "")
		w.Put(githubtest.Repository{Name: "owner/name", Many: map[string]int{"": number, "deep/er": number}, Files: map[string]string{"zoo/a": ""}})
		for path, want := range map[string]int{"": number + 2, "deep/er": number} {
			listing := mustList(t, w, path)
			if len(listing.Entries) != want || listing.Truncated {
				t.Errorf("%q: %d of %d", path, len(listing.Entries), want)
			}
			if last := listing.Entries[want-1]; last.Type != codehost.TypeFile || last.Size == 0 || !strings.HasPrefix(last.Path, path) {
				t.Errorf("%q: %+v", path, last)
			}
		}
		if first := mustList(t, w, "").Entries[:2]; first[0].Path != "deep" || first[1].Path != "zoo" {
			t.Errorf("%+v", first)
		}
	}
}

func TestHostileNames(t *testing.T) {
	w := newWorld(t, "")
	hostile := []string{"<img src=x onerror=alert(1)>", "\u202Etxt.exe", "a%2F..%2Fb", "a?b#c", "-rf", "\"quoted\"", "back\\slash", "new\nline", "..."}
	files := map[string]string{"../../etc/passwd": "", "./x": "", "//y": ""}
	for _, name := range hostile {
		files[name+"/inside "+name] = "content of " + name
	}
	w.put(files)
	root := mustList(t, w, "")
	if len(root.Entries) != len(hostile) {
		t.Errorf("%q", names(root))
	}
	for _, one := range root.Entries {
		inside := mustList(t, w, one.Path)
		if len(inside.Entries) != 1 || inside.Entries[0].Name != "inside "+one.Name {
			t.Errorf("%q: %+v", one.Path, inside.Entries)
			continue
		}
		file, err := w.File(t.Context(), named, inside.Entries[0].Path, 1_000)
		if err != nil || string(file.Content) != "content of "+one.Name {
			t.Errorf("%q: %q %v", one.Path, file.Content, err)
		}
	}
}

func TestPathsThatAreNone(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a/b.txt": ""})
	for path, kind := range map[string]fault.Kind{
		"..": fault.Invalid, "a/../..": fault.Invalid, "a//b": fault.Invalid, "./a": fault.Invalid, "a/.": fault.Invalid, "a\x00": fault.Invalid,
		"\xff": fault.Invalid, strings.Repeat("a/", 2_001) + "b": fault.Invalid, "nowhere": fault.NotFound, "a/b.txt": fault.NotFound, "%2e%2e": fault.NotFound,
	} {
		_, err := w.List(t.Context(), named, path)
		if fault.KindOf(err) != kind || !strings.HasSuffix(fault.MessageOf(err), ".") {
			t.Errorf("%.20q: %v", path, err)
		}
	}
	if _, err := w.File(t.Context(), named, "a", 100); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// An Enterprise server has its API and raw files below its own address, and messages use its name.
func TestAnEnterpriseServer(t *testing.T) {
	w := newWorld(t, githubtest.Token)
	w.options.URL, w.options.APIURL, w.options.RawURL = w.URL, "", ""
	w.GitHub = codehost.NewGitHub(w.options)
	w.put(map[string]string{"a.txt": "text"})
	if listing := mustList(t, w, ""); listing.FilesURL != w.URL+"/owner/name/blob/main/" || names(listing) != "file a.txt" {
		t.Errorf("%+v", listing)
	}
	if file, err := w.File(t.Context(), named, "a.txt", 10); err != nil || string(file.Content) != "text" {
		t.Errorf("%+v %v", file, err)
	}
	_, err := w.List(t.Context(), codehost.Repository{Host: named.Host, Owner: "no", Name: "where"}, "")
	if want := strings.TrimPrefix(w.URL, "http://") + " has no public repository no/where"; !strings.HasPrefix(fault.MessageOf(err), want) {
		t.Error(err)
	}
}
