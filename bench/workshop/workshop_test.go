package workshop

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestWorkIsComparedByteForByte(t *testing.T) {
	folder := t.TempDir()
	contents := map[string]string{"a.txt": "a", "sub/b c.txt": "b", ".hidden/c": "c", "data/shared": "not in archives", "sub/data/own": "d", "sub/.git/hooks/x": "left out"}
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for name, content := range contents {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "data/shared" || name == "sub/.git/hooks/x" {
			continue
		}
		entry, err := writer.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := writer.Create("sub/"); err != nil {
		t.Fatal(err)
	}
	about, err := writer.Create(notes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := about.Write([]byte("Left out:\r\n\r\n\"link\": It's a link.\r\n\"sub/.git/hooks\": Git would run these.\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	wanted, err := filesIn(folder)
	if err != nil {
		t.Fatal(err)
	}
	found, err := filesOf(archive.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := differences(wanted, found); len(got) > 0 {
		t.Errorf("differences of the same: %q", got)
	}
	other := maps.Clone(found)
	delete(other, "a.txt")
	other["sub/b c.txt"], other["more"] = digest([]byte("B")), ""
	if got := differences(wanted, other); !slices.Equal(got, []string{"a.txt is missing", "more is more than there should be", "sub/b c.txt has changed"}) {
		t.Errorf("differences: %q", got)
	}
}

func TestCodeCells(t *testing.T) {
	got, err := codeCells([]byte(`{"content": {"cells": [{"cell_type": "markdown", "id": "a"}, {"cell_type": "code", "id": "b"}, {"cell_type": "code", "id": "c"}]}}`))
	if err != nil || !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAnErrorIsSavedInItsCell(t *testing.T) {
	answer := []byte(`{"content": {"nbformat": 4, "cells": [{"id": "a", "outputs": []}, {"id": "b", "outputs": []}]}}`)
	content, err := withError(answer, "b")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"cells":[{"id":"a","outputs":[]},{"id":"b","outputs":[{"ename":"ZeroDivisionError","evalue":"division by zero","output_type":"error","traceback":[]}]}],"nbformat":4}`
	if string(text) != want {
		t.Errorf("%s", text)
	}
	if _, err := withError(answer, "c"); err == nil {
		t.Error("a cell that isn't there was found")
	}
}

func TestProcessesOfSessions(t *testing.T) {
	const run, id = "cairn-workshop-1/", "01890a5d-ac96-774b-bcce-b302099a8057"
	for text, want := range map[string]bool{
		"python3\n/tmp/" + run + "data-sessions/" + id + "/work":                true,
		"1 2 0:1 /tmp/" + run + "data-sessions/" + id + " /session rw\n2 3 x\n": true,
		"cairn\nserve\n--data\n/tmp/" + run + "data":                            false,
		"/tmp/cairn-workshop-2/data-sessions/" + id:                             false,
		"/tmp/" + run + "data-sessions\n" + id:                                  false,
	} {
		if isOfSession(text, run) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func TestFirstErrorOfASeatCounts(t *testing.T) {
	f := &follower{failed: map[int]time.Time{}}
	now := board{Seats: []boardSeat{{Seat: 3}}}
	early := time.Unix(100, 0)
	f.note(now, early)
	if len(f.failed) > 0 {
		t.Errorf("without an error: %v", f.failed)
	}
	now.Seats[0].Error = &seatError{1, errorClass}
	f.note(now, early.Add(time.Second))
	f.note(now, early.Add(time.Minute))
	if got := f.failed[3]; !got.Equal(early.Add(time.Second)) {
		t.Errorf("seen at %v", got)
	}
}

func TestRatio(t *testing.T) {
	if got := ratio([]time.Duration{3, 3, 9}, []time.Duration{2, 2, 2}); got != 1.5 {
		t.Errorf("%v", got)
	}
	if got := ratio([]time.Duration{3}, nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
