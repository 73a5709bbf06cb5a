package catalog

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseTags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lists []string
		want  []string
	}{
		{nil, nil},
		{[]string{"", " , "}, nil},
		{[]string{"a,b", "c", "a"}, []string{"a", "b", "c"}},
		{[]string{" md , namd "}, []string{"md", "namd"}},
		{[]string{`md\, namd,v1`}, []string{"md, namd", "v1"}},
		{[]string{`back\\slash`, `a\\,b`}, []string{`back\slash`, `a\`, "b"}},
		{[]string{`\,`, `\a`, `end\`}, []string{",", "a", "end"}},
		{[]string{strings.Repeat("a,", 100_000) + "b"}, []string{"a", "b"}},
	} {
		if got := parseTags(c.lists); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.lists, got, c.want)
		}
	}
}

func TestParseTypes(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]Type{
		"": nil, ",": nil, "DATASET": {Dataset}, "notebook, MODEL": {Notebook, Model}, "MODEL,model": {Model},
	} {
		if got, err := ParseTypes(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", list, got, err, want)
		}
	}
	_, err := ParseTypes("DATASET,<b>VIDEO</b>\xff")
	if err == nil || !utf8.ValidString(err.Error()) {
		t.Fatalf("got %v, want a fault in UTF-8", err)
	}
	for _, value := range Types {
		if !strings.Contains(err.Error(), string(value)) {
			t.Errorf("%q does not name %s", err, value)
		}
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"":                                     "",
		"# Spikes\n\nof **mouse** `cortex`":    "Spikes of mouse cortex",
		"See [the paper](https://x.org) now.":  "See the paper now.",
		"[a](b) and [c](d)":                    "a and c",
		"open [link](never closed":             "open [link](never closed",
		"![a plot](plot.png) of [x]":           "of [x]",
		"[![build](b.svg)](ci) Spikes":         "Spikes",
		"`$150$` steps of $\\mu$m, $x_1$":      "150 steps of μm, x1",
		"$$\\mathbf{E} = \\pm 5\\,\\Omega$$":   "E = ±5 Ω",
		"from $5 to $10, or 5$":                "from $5 to $10, or 5$",
		"$PATH and $HOME":                      "$PATH and $HOME",
		"> quoted\r\n* item":                   "quoted item",
		"   \n\t\n":                            "",
		"Units\n\n| a | b |\n|---|:-:|\n| 1 |": "Units a b 1",
		"|x| is at least a | b":                "x is at least a b",
		"a || b":                               "a || b",
	} {
		if got := plainText(markdown, 280); got != want {
			t.Errorf("%q: %q, want %q", markdown, got, want)
		}
	}
}

func TestPlainTextIsCutAtAWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"one two three, four": "one two three…",
		"0123456789012345678": "0123456789012…",
		"細胞の画像細胞の画像細胞の画像細胞の画像": "細胞の画像細胞の画像細胞の…",
		"exactly 14 ch.": "exactly 14 ch.",
	} {
		if got := plainText(text, 14); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFoldersOfASession(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/owner/name":             "name",
		"https://github.com/owner/name.git":         "name",
		"https://github.com/owner/name.git/":        "name",
		"https://github.com/owner/data":             "data-repository",
		"https://github.com/owner/data.git":         "data-repository",
		"https://github.com/owner/database":         "database",
		"https://x.org/..":                          "repository",
		"https://x.org/%2e%2e%2f":                   "repository",
		"https://x.org/細胞":                          "repository",
		"https://x.org/-rf":                         "rf",
		"https://x.org/a b;$(c)":                    "a-b-c",
		"https://x.org/.hidden":                     "hidden",
		"https://x.org/" + strings.Repeat("x", 300): strings.Repeat("x", 90),
	} {
		if got := RepositoryFolder(address); got != want {
			t.Errorf("repository %q: folder %q, want %q", address, got, want)
		}
	}
	for address, want := range map[string]string{
		"spikes": "spikes", "lab/2024/spikes": "spikes", "bundled:spikes": "spikes", "https://x.org/data/images.zip?sig=1": "images.zip",
		"..": "dataset", "": "dataset", "a%2f..": "dataset", "名前": "dataset",
	} {
		if got := DatasetFolder(address, ""); got != want {
			t.Errorf("dataset %q: folder %q, want %q", address, got, want)
		}
	}
	for address, want := range map[string]string{
		"bundled:walk.ipynb": "walk.ipynb", "https://x.org/a/b%20%231.ipynb?raw=1": "b #1.ipynb", "https://x.org/細胞.IPYNB": "細胞.ipynb",
		"https://x.org/download?id=1": "download.ipynb", "https://x.org/": "notebook.ipynb", "https://x.org/.ipynb": "notebook.ipynb",
		"https://x.org/a%2F..%2Fb.ipynb": "b.ipynb", "https://x.org/a%00b%0A%5C.ipynb": "a-b.ipynb", "https://x.org/\u202eb.ipynb": "b.ipynb",
		"https://x.org/" + strings.Repeat("é", 300): strings.Repeat("é", 75) + ".ipynb",
	} {
		if got := NotebookFile(address); got != want {
			t.Errorf("notebook %q: file %q, want %q", address, got, want)
		}
	}
}

func FuzzFolderNamesAreSafe(f *testing.F) {
	for _, seed := range []string{"https://github.com/o/data.git", "..", "a/../..", "-x", "bundled:x", "\x00", "%2e%2e", "https://[::1]/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		for _, name := range []string{RepositoryFolder(address), DatasetFolder(address, "")} {
			if name == "" || len(name) > 90 || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || unsafeInFolder.MatchString(name) {
				t.Errorf("%q becomes the folder %q", address, name)
			}
		}
		if RepositoryFolder(address) == "data" {
			t.Errorf("%q takes the folder of the datasets", address)
		}
	})
}
