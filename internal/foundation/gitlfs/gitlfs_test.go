package gitlfs_test

import (
	"strings"
	"testing"

	"cairn/internal/foundation/gitlfs"
)

func TestPointers(t *testing.T) {
	t.Parallel()
	oid := strings.Repeat("07", 32)
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + oid + "\nsize 123\n"
	for name, one := range map[string]struct {
		content       string
		isPointer, ok bool
	}{
		"as git-lfs writes it":   {pointer, true, true},
		"with Windows line ends": {strings.ReplaceAll(pointer, "\n", "\r\n"), true, true},
		"without the last one":   {strings.TrimSpace(pointer), true, true},
		"of a later version":     {strings.Replace(pointer, "/v1", "/v2", 1), true, false},
		"another digest":         {strings.Replace(pointer, "sha256", "sha512", 1), true, false},
		"a short digest":         {strings.Replace(pointer, "0707", "07", 1), true, false},
		"letters for a size":     {strings.Replace(pointer, "123", "many", 1), true, false},
		"a negative size":        {strings.Replace(pointer, "123", "-1", 1), true, false},
		"a size beyond all":      {strings.Replace(pointer, "123", strings.Repeat("9", 30), 1), true, false},
		"an extension":           {strings.Replace(pointer, "oid", "ext-0-crypt sha256:"+oid+"\noid", 1), true, false},
		"more text":              {pointer + "and so on", true, false},
		"a text about pointers":  {"# Pointers\n" + pointer, false, false},
		"a long file":            {pointer + strings.Repeat("x", 2_000), false, false},
		"the first line":         {"version https://git-lfs.github.com/spec/v1\n", false, false},
		"nothing":                {"", false, false},
	} {
		got, ok := gitlfs.ParsePointer([]byte(one.content))
		if isPointer := gitlfs.IsPointer([]byte(one.content)); isPointer != one.isPointer || ok != one.ok {
			t.Errorf("%s: is one: %t, can be read: %t", name, isPointer, ok)
		}
		if ok && got != (gitlfs.Pointer{OID: oid, Size: 123}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
