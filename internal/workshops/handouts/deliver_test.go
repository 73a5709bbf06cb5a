package handouts_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/workshops/handouts"
)

// Each rule, by what the session has, what is handed out, what became of it, and what the session has then besides.
func TestFilesAreLaidBesideAndNeverOver(t *testing.T) {
	for name, c := range map[string]struct {
		has  map[string]string
		open []string
		file handouts.File
		said string
		then map[string]string
	}{
		"new":                         {nil, nil, file("a.txt", "new"), "new a.txt", map[string]string{"a.txt": "new"}},
		"new in new folders":          {nil, nil, file("r/a/b.txt", "new"), "new r/a/b.txt", map[string]string{"r": folder, "r/a": folder, "r/a/b.txt": "new"}},
		"new in a folder":             {map[string]string{"r": folder}, nil, file("r/b.txt", "new"), "new r/b.txt", map[string]string{"r/b.txt": "new"}},
		"empty":                       {nil, nil, file("a.txt", ""), "new a.txt", map[string]string{"a.txt": ""}},
		"there":                       {map[string]string{"a.txt": "new"}, nil, file("a.txt", "new", "old"), "there a.txt", nil},
		"there and open":              {map[string]string{"a.ipynb": "new"}, []string{"a.ipynb"}, file("a.ipynb", "new", "old"), "there a.ipynb", nil},
		"unchanged":                   {map[string]string{"a.ipynb": "old"}, nil, file("a.ipynb", "new", "older", "old"), "replaced a.ipynb", map[string]string{"a.ipynb": "new"}},
		"unchanged, another open":     {map[string]string{"a.ipynb": "old"}, []string{"b/a.ipynb"}, file("a.ipynb", "new", "old"), "replaced a.ipynb", map[string]string{"a.ipynb": "new"}},
		"unchanged and open":          {map[string]string{"a.ipynb": "old"}, []string{"a.ipynb"}, file("a.ipynb", "new", "old"), "beside a (from the host).ipynb", map[string]string{"a (from the host).ipynb": "new"}},
		"unchanged, open on a drive":  {map[string]string{"a.ipynb": "old"}, []string{"RTC:a.ipynb"}, file("a.ipynb", "new", "old"), "beside a (from the host).ipynb", map[string]string{"a (from the host).ipynb": "new"}},
		"unchanged and empty":         {map[string]string{"a": ""}, nil, file("a", "new", ""), "replaced a", map[string]string{"a": "new"}},
		"changed":                     {map[string]string{"r": folder, "r/a.txt": "mine"}, nil, file("r/a.txt", "new", "old"), "beside r/a (from the host).txt", map[string]string{"r/a (from the host).txt": "new"}},
		"nothing handed out before":   {map[string]string{"a.txt": "mine"}, nil, file("a.txt", "new"), "beside a (from the host).txt", map[string]string{"a (from the host).txt": "new"}},
		"changed and beside":          {map[string]string{"a.txt": "mine", "a (from the host).txt": "new"}, nil, file("a.txt", "new"), "beside a (from the host).txt", nil},
		"changed, another beside":     {map[string]string{"a.txt": "mine", "a (from the host).txt": "mine"}, nil, file("a.txt", "new", "mine too"), "beside a (from the host 2).txt", map[string]string{"a (from the host 2).txt": "new"}},
		"changed, second beside":      {map[string]string{"a.txt": "mine", "a (from the host).txt": "1", "a (from the host 2).txt": "new"}, nil, file("a.txt", "new"), "beside a (from the host 2).txt", nil},
		"a folder beside":             {map[string]string{"a.txt": "mine", "a (from the host).txt": folder}, nil, file("a.txt", "new"), "beside a (from the host 2).txt", map[string]string{"a (from the host 2).txt": "new"}},
		"unchanged, and beside":       {map[string]string{"a.txt": "old", "a (from the host).txt": "new"}, nil, file("a.txt", "new", "old"), "beside a (from the host).txt", nil},
		"there, and beside":           {map[string]string{"a.txt": "new", "a (from the host).txt": "new"}, nil, file("a.txt", "new", "old"), "there a.txt", nil},
		"deleted, and beside":         {map[string]string{"a (from the host).txt": "new"}, nil, file("a.txt", "new"), "beside a (from the host).txt", nil},
		"deleted, and another beside": {map[string]string{"a (from the host).txt": "old"}, nil, file("a.txt", "new"), "new a.txt", map[string]string{"a.txt": "new"}},
		"a folder":                    {map[string]string{"a": folder, "a/b": "mine"}, nil, file("a", "new"), "beside a (from the host)", map[string]string{"a (from the host)": "new"}},
		"a folder with an extension":  {map[string]string{"a.d": folder}, nil, file("a.d", "new", ""), "beside a (from the host).d", map[string]string{"a (from the host).d": "new"}},
		"a file instead of a folder":  {map[string]string{"r": folder, "r/a": "mine"}, nil, file("r/a/b/c.txt", "new", "mine"), "beside r/c (from the host).txt", map[string]string{"r/c (from the host).txt": "new"}},
		"a file instead of the first": {map[string]string{"r": "mine"}, nil, file("r/c.txt", "new"), "beside c (from the host).txt", map[string]string{"c (from the host).txt": "new"}},
		"unusual names":               {map[string]string{"r": folder, "r/Übung 1 #%?&+;=.ipynb": "mine"}, nil, file("r/Übung 1 #%?&+;=.ipynb", "new"), "beside r/Übung 1 #%?&+;= (from the host).ipynb", map[string]string{"r/Übung 1 #%?&+;= (from the host).ipynb": "new"}},
		"names in other scripts":      {nil, nil, file("演習 一/пример ✓.py", "new"), "new 演習 一/пример ✓.py", map[string]string{"演習 一": folder, "演習 一/пример ✓.py": "new"}},
		"names of Jupyter's own":      {nil, nil, file("r/checkpoints/checkpoints", "new"), "new r/checkpoints/checkpoints", map[string]string{"r": folder, "r/checkpoints": folder, "r/checkpoints/checkpoints": "new"}},
		"another of Jupyter's own":    {nil, nil, file("trust", "new"), "new trust", map[string]string{"trust": "new"}},
		"any bytes":                   {map[string]string{"a.bin": "\x00\xff\xfe"}, nil, file("a.bin", "\xff\x00\r\n", "\x00\xff\xfe"), "replaced a.bin", map[string]string{"a.bin": "\xff\x00\r\n"}},
		"a notebook's very bytes":     {map[string]string{"a.ipynb": "{ \"cells\": []\r\n}"}, nil, file("a.ipynb", "{}\n\n", "{ \"cells\": []\r\n}"), "replaced a.ipynb", map[string]string{"a.ipynb": "{}\n\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, c.has)
			s.open = c.open
			same(t, s.delivers(c.file), []string{c.said})
			want := maps.Clone(c.then)
			if want == nil {
				want = map[string]string{}
			}
			for name, content := range c.has {
				if _, ok := want[name]; !ok {
					want[name] = content
				}
			}
			s.has(want)

			writes := len(s.asked(http.MethodPut))
			again := strings.NewReplacer("new ", "there ", "replaced ", "there ").Replace(c.said)
			same(t, s.delivers(c.file), []string{again})
			s.has(want)
			if count := len(s.asked(http.MethodPut)); count != writes {
				t.Errorf("delivering again writes: %q", s.asked(http.MethodPut)[writes:])
			}
		})
	}
}

func TestFilesOfABundleDontDependOnEachOther(t *testing.T) {
	s := newSession(t, map[string]string{"r": folder, "r/a.txt": "old", "r/b.txt": "mine", "r/c.txt": "new c"})
	same(t, s.delivers(
		file("r/a.txt", "new a", "old"), file("r/b.txt", "new b", "old"), file("r/c.txt", "new c"), file("r/d/1.txt", "1"), file("r/d/2.txt", "2"), file("e.txt", "e"),
	), []string{"replaced r/a.txt", "beside r/b (from the host).txt", "there r/c.txt", "new r/d/1.txt", "new r/d/2.txt", "new e.txt"})
	s.has(map[string]string{
		"r": folder, "r/a.txt": "new a", "r/b.txt": "mine", "r/b (from the host).txt": "new b", "r/c.txt": "new c", "r/d": folder,
		"r/d/1.txt": "1", "r/d/2.txt": "2", "e.txt": "e",
	})
	if got := s.delivers(); got != nil {
		t.Errorf("no files: %q", got)
	}
}

// What a person saves between the look and the save is kept by the front. What they saved before is never overwritten.
func TestSavesAtTheSameTimeAreKept(t *testing.T) {
	t.Run("over an unchanged file", func(t *testing.T) {
		s := newSession(t, map[string]string{"a.txt": "old"})
		s.meanwhile = func(request string) {
			if request == "PUT api/contents/a.txt" {
				s.saves("ann", "a.txt", "mine")
			}
		}
		same(t, s.delivers(file("a.txt", "new", "old")), []string{"replaced a.txt | a (other version 2026-03-01 12.00.00).txt"})
		s.has(map[string]string{"a.txt": "new", "a (other version 2026-03-01 12.00.00).txt": "mine"})
	})
	t.Run("where nothing was", func(t *testing.T) {
		s := newSession(t, nil)
		s.meanwhile = func(request string) {
			if request == "PUT api/contents/ü b.txt" {
				s.saves("ann", "ü b.txt", "mine")
			}
		}
		same(t, s.delivers(file("ü b.txt", "new")), []string{"new ü b.txt | ü b (other version 2026-03-01 12.00.00).txt"})
		s.has(map[string]string{"ü b.txt": "new", "ü b (other version 2026-03-01 12.00.00).txt": "mine"})
	})
	t.Run("beside", func(t *testing.T) {
		s := newSession(t, map[string]string{"a.txt": "mine"})
		s.meanwhile = func(request string) {
			if request == "PUT api/contents/a (from the host).txt" {
				s.saves("ann", "a (from the host).txt", "mine too")
			}
		}
		same(t, s.delivers(file("a.txt", "new")), []string{"beside a (from the host).txt | a (from the host) (other version 2026-03-01 12.00.00).txt"})
		s.has(map[string]string{"a.txt": "mine", "a (from the host).txt": "new", "a (from the host) (other version 2026-03-01 12.00.00).txt": "mine too"})
	})
	for _, when := range []string{"GET api/sessions", "GET api/contents/a.txt"} {
		t.Run("before "+when, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "old"})
			s.meanwhile = func(request string) {
				if request == when && s.files["a.txt"] == "old" {
					s.saves("ann", "a.txt", "mine")
				}
			}
			same(t, s.delivers(file("a.txt", "new", "old")), []string{"beside a (from the host).txt"})
			s.has(map[string]string{"a.txt": "mine", "a (from the host).txt": "new"})
		})
	}
	t.Run("over a folder that is about to be made", func(t *testing.T) {
		s := newSession(t, nil)
		s.meanwhile = func(request string) {
			if request == "PUT api/contents/r" {
				s.saves("ann", "r", "mine")
			}
		}
		same(t, s.delivers(file("r/a.txt", "new")), []string{"beside a (from the host).txt"})
		s.has(map[string]string{"r": "mine", "a (from the host).txt": "new"})
	})
	t.Run("nothing is between the look and the save", func(t *testing.T) {
		s := newSession(t, map[string]string{"r": folder, "r/a.txt": "old"})
		s.delivers(file("r/a.txt", "new", "old"))
		same(t, s.requests, []string{
			"GET api/contents/r", "GET api/sessions", "GET api/contents/r/a (from the host).txt", "GET api/contents/r/a.txt", "PUT api/contents/r/a.txt",
		})
	})
}

// What an earlier delivery of ours saved belongs to nobody.
func TestSecondHandoutReplacesTheFirst(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "0"})
	same(t, s.delivers(file("a.txt", "1", "0")), []string{"replaced a.txt"})
	same(t, s.delivers(file("a.txt", "2", "0", "1")), []string{"replaced a.txt"})
	s.has(map[string]string{"a.txt": "2"})
	s.saves("ann", "a.txt", "mine")
	same(t, s.delivers(file("a.txt", "3", "0", "1", "2")), []string{"beside a (from the host).txt"})
	same(t, s.delivers(file("a.txt", "4", "0", "1", "2", "3")), []string{"beside a (from the host 2).txt"})
	s.has(map[string]string{"a.txt": "mine", "a (from the host).txt": "3", "a (from the host 2).txt": "4"})
}

func TestRefusedFilesDontStopTheOthers(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "old", "locked": folder, "b.txt": "mine"})
	s.readOnly = map[string]bool{"a.txt": true, "locked": true}
	for number := 1; number <= 20; number++ {
		s.files[strings.Replace(fmt.Sprintf("b (from the host %d).txt", number), " 1)", ")", 1)] = fmt.Sprint(number)
	}
	before := maps.Clone(s.files)
	delivered, err := s.deliver(file("a.txt", "new", "old"), file("locked/x.txt", "x"), file("locked/d/y.txt", "y"), file("b.txt", "b"), file("c.txt", "c"))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{`"locked/x.txt"`, `"locked/d/y.txt"`, `"b.txt"`} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s isn't in %v", name, err)
		}
	}
	want := []handouts.Placed{
		{Path: "a.txt", At: "a (from the host).txt", How: handouts.Beside}, // a file that its owner has locked
		{Path: "c.txt", At: "c.txt", How: handouts.New},
	}
	if !slices.Equal(delivered.Files, want) {
		t.Errorf("got %+v, want %+v", delivered.Files, want)
	}
	before["a (from the host).txt"], before["c.txt"] = "new", "c"
	s.has(before)
}

// A session without a front is used as one with it; nothing is kept of what is saved in between.
func TestSessionsWithoutFront(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "old", "b.txt": "mine"})
	s.noFront = true
	same(t, s.delivers(file("a.txt", "new", "old"), file("b.txt", "new", "old")), []string{"replaced a.txt", "beside b (from the host).txt"})
}

func TestBaseOfAHub(t *testing.T) {
	s := newSession(t, nil)
	to := s.target()
	to.Session, to.Base = "", "/s/"+sessionID+"/"
	if _, err := handouts.Deliver(t.Context(), to, handouts.Bundle{Files: []handouts.File{file("a", "b")}}); err != nil || s.files["a"] != "b" {
		t.Errorf("got %v and %q", err, s.files)
	}
}
