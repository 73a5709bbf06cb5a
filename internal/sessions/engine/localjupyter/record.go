package localjupyter

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
	"cairn/internal/sessions/machine/sandbox"
)

const recordName = "record.json"

// record is the durable truth about one session. It is written before the actions it announces, so that everything a
// crash leaves behind can be found from it.
type record struct {
	Spec   engine.Spec
	Phase  engine.Phase
	Reason string
	Steps  []engine.Step

	LeftOut []engine.LeftOut // what the repository asks for and the last launch didn't install
	Missing []string         // ids of the missing datasets that made the last launch fail
	Code    diagnosis.Code   // why the session failed; may be empty

	Opens    string // as in engine.Status
	OpenNote string

	Commit      string    // that was checked out from the repository; empty: none, or unknown
	CommittedAt time.Time // according to it

	Interface engine.Interface // of the last server, like the next three
	Terminals bool
	Jupyter   string // its name with versions
	Python    string // of its kernels: the path by which the session finds it
	R         string // key of the packages of R that were installed for it; "" for none

	UserID int              // the session's account; 0 where sessions share the server's
	Token  string           // of the last launch
	Server sandbox.Identity // of the last launch; zero until it is started
	First  sandbox.Identity // process 1 of the server's namespace as seen from here; zero without bubblewrap

	history.Record // of its versions

	Pinned       map[string]bool `json:"Uses"` // keys of the cache entries that it uses, which stay in the cache for that time
	Groups       []string        // folders of its control groups, whose location depends on who started it
	BuildAccount int             `json:"Helper"` // that runs a program which installs packages for it; 0 if there is none
}

func loadRecord(folder string) (record, error) {
	content, err := os.ReadFile(filepath.Join(folder, recordName))
	if err != nil {
		return record{}, err
	}
	var loaded record
	if err := json.Unmarshal(content, &loaded); err != nil {
		return record{}, err
	}
	if id := filepath.Base(folder); loaded.Spec.ID != id {
		return record{}, fmt.Errorf("the record of %s names %s", id, loaded.Spec.ID)
	}
	return loaded, nil
}

// Portable returns the record of the session in a folder as another installation may have it, by the name of its file, and the
// folders in it that hold what its user made: nothing in the record leads to this machine's processes, accounts, sockets or
// caches, and its session doesn't run. The folders of a running session with a version of all of its work aren't needed: they
// are made from the last version.
func Portable(folder string) (files map[string][]byte, trees []string, err error) {
	found, err := loadRecord(folder)
	if err != nil {
		return nil, nil, err
	}
	kept := record{
		Spec: found.Spec, Phase: found.Phase, Reason: found.Reason, LeftOut: found.LeftOut, Code: found.Code, Opens: found.Opens,
		OpenNote: found.OpenNote, Commit: found.Commit, CommittedAt: found.CommittedAt, Interface: found.Interface, Terminals: found.Terminals,
		Record: history.Record{
			History: found.History, Saved: found.Saved, SavedAt: found.SavedAt, PendingRestore: found.PendingRestore, RetiredAt: found.RetiredAt,
		},
	}
	trees = []string{folders.Work, folders.Home}
	if kept.Phase == engine.Starting || kept.Phase == engine.Running {
		if kept.Phase == engine.Running && found.Saved > 0 && !found.Partial && found.PendingRestore == nil {
			kept.PendingRestore, trees = &history.RestoreRequest{Session: found.Spec.ID, Version: history.Latest}, nil
		}
		kept.Phase, kept.Reason = engine.Ended, "It was running when the backup was made. The work is kept."
	}
	if kept.PendingRestore != nil {
		trees = nil
	}
	content, err := json.MarshalIndent(kept, "", "  ")
	return map[string][]byte{recordName: content}, trees, err
}

// save replaces the record atomically and returns when it is on the disk.
func (r record) save(folder string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return folders.WriteFile(filepath.Join(folder, recordName), content)
}

// box returns what identifies the processes of a session.
func (r record) box(id string) sandbox.Record {
	return sandbox.Record{Name: id, Account: r.UserID, Process: r.Server, First: r.First}
}

// sessionFolders lists the folders of sessions, and of removed ones that a crash left.
func sessionFolders(dir string) (sessions, removed []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if strings.HasPrefix(entry.Name(), folders.RemovedPrefix) {
			removed = append(removed, entry.Name())
		} else if parsed, err := uuid.Parse(entry.Name()); err == nil && parsed.String() == entry.Name() {
			sessions = append(sessions, entry.Name())
		}
	}
	return sessions, removed, nil
}
