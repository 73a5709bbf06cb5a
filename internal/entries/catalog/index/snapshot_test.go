package index

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

func reread(t *testing.T, ix *Index) *Index {
	t.Helper()
	var file bytes.Buffer
	if err := ix.Write(&file, Position{Seq: 7, History: "here"}); err != nil {
		t.Fatal(err)
	}
	again, position, err := Read(bytes.NewReader(file.Bytes()), testTypes)
	if err != nil || position.Seq != 7 || position.History != "here" {
		t.Fatalf("position %+v, %v", position, err)
	}
	return again
}

func TestTornSnapshotsAreNoticed(t *testing.T) {
	t.Parallel()
	w := &randomWorld{Rand: rand.New(rand.NewPCG(3, 4))}
	ix := New(testTypes)
	document := w.document("0192d3a0-7e00-7000-8000-000000000001")
	ix.Apply([]string{document.ID}, []Document{document})
	var file bytes.Buffer
	if err := ix.Write(&file, Position{}); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	for length := range good {
		if _, _, err := Read(bytes.NewReader(good[:length]), testTypes); !errors.Is(err, ErrSnapshot) {
			t.Fatalf("cut to %d of %d bytes: %v", length, len(good), err)
		}
	}
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		if _, _, err := Read(bytes.NewReader(bad), testTypes); !errors.Is(err, ErrSnapshot) {
			t.Fatalf("byte %d changed: %v", at, err)
		}
	}
	if _, _, err := Read(bytes.NewReader(good), []string{"OTHER"}); !errors.Is(err, ErrSnapshot) {
		t.Fatalf("of other types: %v", err)
	}
}
