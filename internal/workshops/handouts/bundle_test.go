package handouts_test

import (
	"errors"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/workshops/handouts"
)

// fieldOf returns the field that an Invalid fault is about; "" without an error.
func fieldOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	found, ok := errors.AsType[*fault.Fault](err)
	if !ok || found.Kind != fault.Invalid || len(found.Fields) != 1 {
		t.Fatalf("got %v", err)
	}
	return found.Fields[0].Location
}

func TestCheckOfUploads(t *testing.T) {
	for name, want := range map[string]string{
		"exercise.ipynb": "", "Übung 1.md": "", "演習.py": "", "con": "", "a:b?*.txt": "", "a.": "", "no-extension": "", "🙂.txt": "", strings.Repeat("a", 200): "",
		"": "body.name", " ": "body.name", ".": "body.name", "..": "body.name", ".bashrc": "body.name", "a/b": "body.name", `a\b`: "body.name", "/": "body.name",
		"a\nb": "body.name", "a\x00": "body.name", "a\x7f": "body.name", "a\u0085": "body.name", "a\u202etxt.exe": "body.name", "a\xff": "body.name",
		strings.Repeat("a", 201): "body.name", strings.Repeat("ü", 101): "body.name",
	} {
		if got := fieldOf(t, handouts.Check(name, nil)); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if want == "" {
			if s := newSession(t, nil); s.delivers(file(name, "x"))[0] != "new "+name {
				t.Errorf("%q isn't delivered", name)
			}
		}
	}
	if got := fieldOf(t, handouts.Check("a", make([]byte, handouts.FileLimit))); got != "" {
		t.Errorf("the largest file: %q", got)
	}
	if got := fieldOf(t, handouts.Check("a", make([]byte, handouts.FileLimit+1))); got != "body.content" {
		t.Errorf("a larger file: %q", got)
	}
}

func TestBundlesThatCantBeDelivered(t *testing.T) {
	many, large := make([]handouts.File, handouts.FilesLimit+1), make([]handouts.File, 6)
	for i := range large {
		large[i] = handouts.File{Path: strings.Repeat("a", i+1), Content: make([]byte, handouts.FileLimit)}
	}
	for name, c := range map[string]struct {
		files []handouts.File
		want  string
	}{
		"no path":        {[]handouts.File{file("", "")}, "files[0].path"},
		"the root":       {[]handouts.File{file(".", "")}, "files[0].path"},
		"absolute":       {[]handouts.File{file("/a", "")}, "files[0].path"},
		"outside":        {[]handouts.File{file("../a", "")}, "files[0].path"},
		"back":           {[]handouts.File{file("a/../b", "")}, "files[0].path"},
		"hidden":         {[]handouts.File{file("r/.git/config", "")}, "files[0].path"},
		"hidden file":    {[]handouts.File{file("r/.x", "")}, "files[0].path"},
		"control":        {[]handouts.File{file("r/a\nb", "")}, "files[0].path"},
		"no text":        {[]handouts.File{file("r/\xff", "")}, "files[0].path"},
		"long name":      {[]handouts.File{file("r/"+strings.Repeat("a", 251), "")}, "files[0].path"},
		"long path":      {[]handouts.File{file(strings.Repeat("a/", 250)+"a", "")}, "files[0].path"},
		"the datasets":   {[]handouts.File{file("data/a", "")}, "files[0].path"},
		"twice":          {[]handouts.File{file("a", ""), file("a", "b")}, "files[1].path"},
		"a large file":   {[]handouts.File{{Path: "a", Content: make([]byte, handouts.FileLimit+1)}}, "files[0].content"},
		"no digest":      {[]handouts.File{{Path: "a", Before: []string{"ABC"}}}, "files[0].before"},
		"many digests":   {[]handouts.File{{Path: "a", Before: make([]string, 1001)}}, "files[0].before"},
		"many files":     {many, "files"},
		"large together": {large, "files"},
	} {
		s := newSession(t, nil)
		_, err := s.deliver(c.files...)
		if got := fieldOf(t, err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if len(s.requests) > 0 {
			t.Errorf("%s: the session was asked for %q", name, s.requests)
		}
	}
}

// Names beside stay within what file systems take, and keep the extension where there is one.
func TestLongNamesBeside(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("a", 246) + ".txt", strings.Repeat("ü", 122) + ".ipynb", "a." + strings.Repeat("x", 248), strings.Repeat("演", 83),
	} {
		s := newSession(t, map[string]string{name: "mine"})
		at := strings.TrimPrefix(s.delivers(file(name, "new"))[0], "beside ")
		if len(at) > 250 || !utf8.ValidString(at) || !strings.Contains(at, " (from the host)") {
			t.Errorf("%q lies at %q", name, at)
		}
		if extension := path.Ext(name); len(extension) < 10 && !strings.HasSuffix(at, extension) {
			t.Errorf("%q lies at %q", name, at)
		}
	}
}
