package versions_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"cairn/internal/foundation/versions"
)

func FuzzEscapePath(f *testing.F) {
	for _, path := range []string{"", "a/b.ipynb", "\xff\xfe", "ä␛b", "␛ff", "␛", "\xe2\x90", "\xe2\x90\x9bff", "\xe2\xff\x90\x9b", "\ufffd", "a\x00b"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		text := versions.EscapePath(path)
		again, err := versions.UnescapePath(text)
		if err != nil || again != path || !utf8.ValidString(text) {
			t.Errorf("%q became %q and then %q: %v", path, text, again, err)
		}
		inJSON, err := json.Marshal(text)
		var read string
		if err != nil || json.Unmarshal(inJSON, &read) != nil || read != text {
			t.Errorf("%q isn't the same in JSON", text)
		}
		if bytes, err := versions.UnescapePath(path); err == nil && versions.EscapePath(bytes) != path {
			t.Errorf("%q and %q are both texts of %q", path, versions.EscapePath(bytes), bytes)
		}
	})
}

func TestEscapedPathsAreReadable(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"repo/Übung 1.ipynb": "repo/Übung 1.ipynb", "a\xff": "a␛ff", "␛": "␛e2␛90␛9b"} {
		if got := versions.EscapePath(path); got != want {
			t.Errorf("%q is written %q", path, got)
		}
	}
	for _, text := range []string{"␛", "␛f", "␛FF", "␛61", "\xff", "␛gg", "a␛ffb␛"} {
		if got, err := versions.UnescapePath(text); err == nil {
			t.Errorf("%q was read as %q", text, got)
		}
	}
}
