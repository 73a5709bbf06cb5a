package catalog_test

import (
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestNeedsSurviveStoreAndIndex(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		needs := &catalog.Needs{MemoryBytes: 8 << 30, CPUs: 0.5, GPUs: 1}
		demanding := catalogtest.Entry("Demanding", catalogtest.Repository("https://github.com/o/n"), func(r *catalog.Entry) { r.Needs = needs })
		w := catalogtest.New(t, db, demanding, catalogtest.Entry("Plain", catalogtest.Repository("https://github.com/o/plain"), func(r *catalog.Entry) { r.Needs = &catalog.Needs{} }))
		listed := func(name string, want *catalog.Needs) {
			t.Helper()
			for _, view := range []string{"", "&view=card"} {
				var page catalog.ResourcePage
				w.Ask("", http.MethodGet, "/resources/public?nameSearch="+name+view, http.StatusOK, &page)
				if got := page.Content[0].Needs; !reflect.DeepEqual(got, want) {
					t.Errorf("%s%s: it needs %+v, want %+v", name, view, got, want)
				}
			}
		}
		entry := w.Entry(catalogtest.Ada, w.ID("Demanding"))
		if !reflect.DeepEqual(entry.Needs, needs) {
			t.Errorf("stored: %+v", entry.Needs)
		}
		w.Open() // reads rows that it wrote
		listed("Demanding", needs)
		listed("Plain", nil)
		entry.Needs = &catalog.Needs{GPUs: 2}
		changes, err := w.Store.Update(w.As(catalogtest.Ada), audit.SyncEntry, *entry.Entry(), entry.UpdatedAt, nil)
		if err != nil || len(changes.IDs) != 1 {
			t.Fatal(changes, err)
		}
		if got := w.Entry(catalogtest.Ada, entry.ID).Needs; got == nil || *got != (catalog.Needs{GPUs: 2}) {
			t.Errorf("changed to %+v", got)
		}
		demanding.Needs = nil
		w.Import(demanding)
		if got := w.Entry(catalogtest.Ada, entry.ID).Needs; got != nil {
			t.Errorf("imported without needs, it still needs %+v", got)
		}
	})
}

func TestNeedsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  catalog.Type
		needs catalog.Needs
		want  string
	}{
		{catalog.Repository, catalog.Needs{MemoryBytes: catalog.MemoryMost, CPUs: catalog.CPUsMost, GPUs: catalog.GPUsMost}, ""},
		{catalog.Repository, catalog.Needs{MemoryBytes: -1, CPUs: -1, GPUs: -1}, "needs.memoryBytes needs.cpus needs.gpus"},
		{catalog.Repository, catalog.Needs{MemoryBytes: catalog.MemoryMost + 1, CPUs: 1e30, GPUs: catalog.GPUsMost + 1}, "needs.memoryBytes needs.cpus needs.gpus"},
		{catalog.Repository, catalog.Needs{CPUs: math.NaN()}, "needs.cpus"},
		{catalog.Repository, catalog.Needs{CPUs: math.Inf(1)}, "needs.cpus"},
		{catalog.Dataset, catalog.Needs{GPUs: 1}, "needs"},
	} {
		entry := catalogtest.Entry("Cells")
		if c.kind == catalog.Repository {
			catalogtest.Repository("https://github.com/o/n")(&entry)
		}
		entry.Needs = &c.needs
		entry.Normalize()
		var found []string
		for _, one := range entry.Check() {
			found = append(found, one.Location)
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s %+v: faults at %q, want %q", c.kind, c.needs, got, c.want)
		}
	}
}
