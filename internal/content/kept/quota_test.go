package kept_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"strconv"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// zeros is an archive with a file of so many bytes, which takes hardly any room packed.
func zeros(t *testing.T, count int64) []byte {
	t.Helper()
	var text bytes.Buffer
	archive := zip.NewWriter(&text)
	file, err := archive.Create("zeros.bin")
	if err == nil {
		_, err = file.Write(make([]byte, count))
	}
	if err != nil || archive.Close() != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// What is unpacked counts like what was sent.
func TestUnpackedFilesStayBelowTheQuota(t *testing.T) {
	w := newWorld(t)
	for _, length := range []int64{most, most, most, most - 4<<20} { // uploads that haven't arrived count: of four times the most, 4 MiB are left
		made := w.tus(ada, http.MethodPost, httpapi.Base+"/uploads", nil, "Upload-Length", strconv.FormatInt(length, 10), "Upload-Metadata", "filename "+encode("later.bin"))
		if made.Code != http.StatusCreated {
			t.Fatalf("%d %s", made.Code, made.Body)
		}
	}
	w.add(ada, catalog.Dataset, "What fits", w.send(ada, zeros(t, 1<<20), "filename", "zeros.zip"))
	id, err := w.tryAdd(ada, catalog.Dataset, "One too many", w.send(ada, zeros(t, 8<<20), "filename", "zeros.zip"))
	if fault.CodeOf(err) != fault.QuotaReached {
		t.Errorf("%s was added, %v", id, err)
	}
	w.add(bob, catalog.Dataset, "Of somebody else", w.send(bob, zeros(t, 8<<20), "filename", "zeros.zip"))
}

// The DOI of a version isn't that of the next one.
func TestNewVersionsHaveNoDOI(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Dataset, "Rates", w.file(ada, "a.csv", "a,b\n"))
	const doi = "10.5281/zenodo.1234"
	changes, err := catalog.NewStore(w.DB).SetVersionDOI(t.Context(), id, 1, doi)
	if err != nil {
		t.Fatal(err)
	}
	w.Changed(t.Context(), changes)
	entry, err := w.Readable(w.as(ada), id)
	if err != nil {
		t.Fatal(err)
	}
	entry.DOI = doi
	if _, err := w.Update(w.as(ada), entry, entry.UpdatedAt); err != nil {
		t.Fatal(err)
	}
	doiOf := func(number int) string {
		t.Helper()
		entry, _, _, err := w.Versions().Get(w.as(ada), id, number)
		if err != nil {
			t.Fatal(err)
		}
		return entry.DOI
	}
	if got := doiOf(1); got != doi {
		t.Fatalf("version 1 has the DOI %q", got)
	}
	w.renew(ada, id, w.file(ada, "a.csv", "a,b,c\n"))
	if one, two := doiOf(1), doiOf(2); one != doi || two != "" {
		t.Errorf("version 1 has the DOI %q, and version 2 %q", one, two)
	}
}
