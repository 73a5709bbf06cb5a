package contribute_test

import (
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// The address of kept files has the number of their version, so a number that is taken is refused.
func TestRenewalHasTheNextNumber(t *testing.T) {
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("a"))
	id := w.ID("a")
	for _, one := range []struct {
		number int
		code   fault.Code
	}{{1, fault.EntryChanged}, {3, fault.EntryChanged}, {2, ""}, {2, fault.EntryChanged}, {3, ""}} {
		_, err := w.contribute.RenewKept(w.As(catalogtest.Ada), contribute.KeptEntry{ID: id, Kind: catalog.Dataset, Number: one.number}, catalog.NewVersion{Stored: "x"})
		if (err == nil) != (one.code == "") || err != nil && fault.CodeOf(err) != one.code {
			t.Errorf("version %d: %v", one.number, err)
		}
	}
	entry, err := w.Readable(w.As(catalogtest.Ada), id)
	if at, ok := entry.Kept(); err != nil || !ok || at.Number != 3 {
		t.Errorf("%s %v", entry.DatasetURL, err)
	}
}

// What its README calls a folder of several files counts more than what one of its notebooks is about.
func TestNamesOfUploads(t *testing.T) {
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	for want, files := range map[string]fstest.MapFS{
		"Rain in Marburg": {"README.md": {Data: []byte("# Rain in Marburg\n\nOf one year.\n")}},
		"Mean rain":       {},
		"Rain, cited":     {"README.md": {Data: []byte("# Rain\n")}, "CITATION.cff": {Data: []byte("cff-version: 1.2.0\ntitle: Rain, cited\nmessage: cite\nauthors: [{name: Ada}]\n")}},
	} {
		found, err := w.contribute.DescribeFiles(w.As(catalogtest.Ada), files, "Mean rain", "study")
		if err != nil || found.Name != want {
			t.Errorf("%q, not %q: %v", found.Name, want, err)
		}
	}
}
