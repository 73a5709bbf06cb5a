package localjupyter

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// The time of a commit is what whoever made it says; programs must be able to put it into files, and we into the record.
func TestTheTimeOfACommitIsBounded(t *testing.T) {
	for seconds, want := range map[int64]string{1700000000: "1700000000", 0: "315532800", 4102444801: "4102444800", 253402300800: "4102444800"} {
		s := &session{record: record{Commit: strings.Repeat("ab", 20), CommittedAt: time.Unix(seconds, 0).UTC()}}
		l := &launch{session: s}
		if !slices.Contains(l.batchEnvironment(), "SOURCE_DATE_EPOCH="+want) {
			t.Errorf("%d gives %q", seconds, l.batchEnvironment())
		}
		if _, err := json.Marshal(s.record); seconds < 4102444801 && err != nil {
			t.Errorf("%d can't be recorded: %v", seconds, err)
		}
	}
	if without := (&launch{session: &session{}}).batchEnvironment(); !slices.Contains(without, "SOURCE_DATE_EPOCH=315532800") {
		t.Errorf("Without a repository it is %q", without)
	}
}

// The server of a batch session is told what no person's is.
func TestTheServerOfABatchSession(t *testing.T) {
	e, err := New(Options{Dir: t.TempDir(), Terminals: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	program := jupyterprogram.Program{Path: "/usr/bin/jupyter-notebook"}
	for name, test := range map[string]struct {
		batch   *engine.Batch
		network sandbox.Network
		fixed   bool
	}{
		"of a person":    {nil, e.sandbox.Reach().Network, false},
		"closed":         {&engine.Batch{}, sandbox.None, true},
		"with a network": {&engine.Batch{Network: true}, e.sandbox.Reach().Network, true},
	} {
		s := e.newSession("01890a5d-ac96-774b-bcce-b302099a8057")
		s.record.Spec.Batch = test.batch
		_, l := s.newLaunch(t.Context())
		defer l.watchdog.Stop()
		box := l.serverBox(program, 7, "token", nil)
		if box.Network != test.network || slices.Contains(box.Environment, "PYTHONHASHSEED=0") != test.fixed {
			t.Errorf("%s: the network is %s, the variables are %q", name, box.Network, box.Environment)
		}
		if limits := l.boxed(box).Limits; limits.Weight == batchWeight != test.fixed || limits.Memory != e.options.Limits.Memory {
			t.Errorf("%s: the limits are %+v", name, limits)
		}
	}
}

// A backup keeps what a session is, and what it was made from.
func TestABackupKeepsThatASessionIsABatch(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "01890a5d-ac96-774b-bcce-b302099a8057")
	made := record{Spec: engine.Spec{ID: filepath.Base(folder), Batch: &engine.Batch{Network: true}}, Commit: "ab", CommittedAt: time.Unix(1, 0).UTC()}
	if err := folders.Make(folder, folders.Private); err != nil {
		t.Fatal(err)
	}
	if err := made.save(folder); err != nil {
		t.Fatal(err)
	}
	kept, _, err := Portable(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got record
	if err := json.Unmarshal(kept[recordName], &got); err != nil || got.Spec.Batch == nil || !got.Spec.Batch.Network || got.Commit != "ab" || !got.CommittedAt.Equal(made.CommittedAt) {
		t.Errorf("It is kept as %s %v", kept[recordName], err)
	}
}
