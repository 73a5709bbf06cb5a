package catalog

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// notInRows are the fields that are computed for each reader, or that the index knows.
var notInRows = []string{
	"DataMissing", "NotebookSource", "RepositoryID", "HeaderImageURL", "CoverURL", "NotebookFrameURL", "Runnable", "RunNote", "RunCode", "Matched",
	"StarCount", "listed", "Content", "Starred", "CanDelete", "CanEdit", "CanSync", "NamedBy", "FormerAuthors", "CanCurate", "UsedBy",
}

// everyField returns an entry in which every field of a row has a value of its own.
func everyField(t *testing.T) Entry {
	t.Helper()
	var r Entry
	value := reflect.ValueOf(&r).Elem()
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		if slices.Contains(notInRows, name) {
			continue
		}
		switch field := value.Field(i); field.Interface().(type) {
		case time.Time:
			field.Set(reflect.ValueOf(time.UnixMicro(int64(1_700_000_000_000_000 + i)).UTC()))
		case bool:
			field.SetBool(true)
		case []Tag:
			field.Set(reflect.ValueOf([]Tag{{"one", "neurons"}, {"two", "ünï — код"}}))
		case []string:
			field.Set(reflect.ValueOf([]string{"ada@example.org", ""}))
		case []Credit:
			field.Set(reflect.ValueOf([]Credit{
				{"Ada", "0000-0002-1825-0097", "ada@example.org", &Organization{"Heidelberg University", "https://ror.org/038t36y30"}, "DataCurator", ""}, {Name: "Emmy"},
			}))
		case []Funding:
			field.Set(reflect.ValueOf([]Funding{{"ERC", "https://ror.org/0472cxd90", "282703", "Cells", "https://example.org"}}))
		case []RelatedIdentifier:
			field.Set(reflect.ValueOf([]RelatedIdentifier{{"10.5281/zenodo.1234", "DOI", "Cites"}}))
		case *time.Time:
			field.Set(reflect.ValueOf(new(time.UnixMicro(1_700_000_000_000_001).UTC())))
		case *Needs:
			field.Set(reflect.ValueOf(&Needs{8 << 30, 2.5, 1}))
		case *LastRun:
			field.Set(reflect.ValueOf(&LastRun{
				"the ID", "a.ipynb", RunNeeds, time.UnixMicro(1_800_000_000_000_001).UTC(), 41.25, 300_000_000, "c0ffee", NeedsInternet, "It needs it.",
				LastRunCells{17, 14, 9, 2, 1},
				true,
			}))
		default:
			field.SetString("the " + name)
		}
	}
	r.ID = "018f4dd4-3c1b-7aaa-8bbb-0123456789ab"
	return r
}

func TestRowsHaveEveryField(t *testing.T) {
	t.Parallel()
	want := everyField(t)
	want.listed.card = "the Description"
	got, card := Entry{}, Entry{}
	if !parseRow(appendRow(nil, &want), want.ID, true, &got) || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v\nwrote %+v", got, want)
	}
	bare := Entry{ID: want.ID, Tags: []Tag{}, Authors: []string{}, CreatedAt: sqldb.Time(0), UpdatedAt: sqldb.Time(-1)}
	if got := (Entry{}); !parseRow(appendRow(nil, &bare), bare.ID, true, &got) || !reflect.DeepEqual(got, bare) {
		t.Errorf("read %+v\nwrote %+v", got, bare)
	}
	got.Description, got.Funding, got.RelatedIdentifiers = "", nil, nil
	if !parseRow(appendRow(nil, &want), want.ID, false, &card) || !reflect.DeepEqual(card, got) {
		t.Errorf("without the description, it read %+v", card)
	}
}

func TestDamagedRowsAreNone(t *testing.T) {
	t.Parallel()
	r := everyField(t)
	content := appendRow(nil, &r)
	for length := range len(content) - len(r.Description) {
		if parseRow(content[:length], r.ID, true, &Entry{}) {
			t.Fatalf("the first %d bytes were taken for a row", length)
		}
	}
	for _, id := range []string{"018f4dd4-3c1b-7aaa-8bbb-0123456789ac", "018F4DD4-3C1B-7AAA-8BBB-0123456789AB", "", "no id"} {
		if parseRow(content, id, true, &Entry{}) {
			t.Errorf("%q got the row of another entry", id)
		}
	}
	for at := range content {
		damaged := slices.Clone(content)
		damaged[at] ^= 0xff
		parseRow(damaged, r.ID, true, &Entry{}) // whatever it returns, it must not panic
	}
}

// nameIn returns the name of an entry as lists show it.
func nameIn(t *testing.T, s *Service, id string) string {
	t.Helper()
	rows, err := s.searchIndex.entries(t.Context(), []string{id}, false)
	if err != nil || len(rows) > 1 {
		t.Fatal(rows, err)
	}
	if len(rows) == 0 {
		return ""
	}
	return rows[0].Name
}

// setUnseen changes an entry in the database as no program does: without saying so.
func setUnseen(t *testing.T, store *Store, id, name string) {
	t.Helper()
	if err := store.db.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE resource SET name = $1 WHERE id = $2`, name, id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestListsReadTheFileWhileNothingChanges(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := NewStore(db)
		id := importNumbered(t, store, 3)
		path := filepath.Join(t.TempDir(), "catalog.index")
		s := &Service{store: store, searchIndex: openIndexSync(t, store, path)}
		holds := func(name string) bool {
			content, err := os.ReadFile(path + ".rows")
			if err != nil {
				t.Fatal(err)
			}
			return bytes.Contains(content, []byte(name))
		}
		shows := func(want string) {
			t.Helper()
			if got := nameIn(t, s, id); got != want {
				t.Errorf("it is %q, not %q", got, want)
			}
		}

		shows("Notebook 0")
		setUnseen(t, store, id, "Unseen")
		shows("Notebook 0")

		changes := rename(t, store, id, "Zebra")
		shows("Zebra") // the index doesn't know yet
		s.searchIndex.changed(t.Context(), changes, s.searchIndex.loadDocuments)
		setUnseen(t, store, id, "Unseen")
		shows("Zebra")
		if holds("Notebook 0") || !holds("Zebra") {
			t.Error("the file has what the entry was, or not what it is")
		}

		// What the next server finds: the rows of the snapshot, and those of what changed after it.
		s.searchIndex.close()
		shows("Unseen") // there is no file anymore
		rename(t, store, id, "Quagga")
		s.searchIndex = openIndexSync(t, store, path)
		shows("Quagga")
		setUnseen(t, store, id, "Unseen")
		shows("Quagga")

		changes, err := store.Delete(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		s.searchIndex.changed(t.Context(), changes, s.searchIndex.loadDocuments)
		if holds("Quagga") {
			t.Error("the file has a deleted entry")
		}
		s.searchIndex.close()
	})
}

func TestASnapshotNeedsItsRows(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := NewStore(db)
		id := importNumbered(t, store, 3)
		for name, spoil := range map[string]func(path string) error{
			"missing": os.Remove,
			"cut":     func(path string) error { return os.Truncate(path, 5) },
			"another index's": func(path string) error {
				rows, err := createRows(path)
				if err == nil {
					rows.close()
				}
				return err
			},
		} {
			path := filepath.Join(t.TempDir(), "catalog.index")
			openIndexSync(t, store, path).close()
			if err := spoil(path + ".rows"); err != nil {
				t.Fatal(err)
			}
			s := &Service{store: store, searchIndex: openIndexSync(t, store, path)}
			setUnseen(t, store, id, "Unseen")
			if got := nameIn(t, s, id); got != "Notebook 0" {
				t.Errorf("%s: it is %q", name, got)
			}
			s.searchIndex.close()
			setUnseen(t, store, id, "Notebook 0")
		}
	})
}

func TestFilesOfReplacedRowsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		store := NewStore(db)
		id := importNumbered(t, store, 3)
		path := filepath.Join(t.TempDir(), "catalog.index")
		s := &Service{store: store, searchIndex: openIndexSync(t, store, path)}
		rows, ready := s.searchIndex.rows.Load(), s.searchIndex.ready.Load()
		if same, err := rows.compacted(path+".rows", ready, 0); err != nil || same != rows {
			t.Fatal("a file without replaced rows was written again", err)
		}
		for range 20 {
			s.searchIndex.changed(t.Context(), rename(t, store, id, "Zebra"), s.searchIndex.loadDocuments)
		}
		fresh, err := rows.compacted(path+".rows", ready, 0)
		if err != nil || fresh == rows || fresh.size > rows.size/3 {
			t.Fatal("a file with many replaced rows was not written again", err)
		}
		s.searchIndex.useRows(fresh)
		setUnseen(t, store, id, "Unseen")
		if got := nameIn(t, s, id); got != "Zebra" {
			t.Errorf("afterwards it is %q", got)
		}
		s.searchIndex.close()
	})
}
