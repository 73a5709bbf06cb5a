package agent

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
)

// backupRoutes adds the calls by which a backup takes the versions along.
func (a *Agent) backupRoutes(on func(method, path string, answer func(w http.ResponseWriter, r *http.Request) error)) {
	on("GET", "backup", func(w http.ResponseWriter, _ *http.Request) error {
		found, err := a.histories()
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "The saved versions can't be read on the hub.")
		}
		return send(w, found)
	})
	on("GET", "backup/histories/{owner}", a.serveHistory)
	on("GET", "backup/records/{session}", a.serveRecord)
}

// histories returns what versions there are.
func (a *Agent) histories() (agentapi.Histories, error) {
	found := agentapi.Histories{Folder: a.options.Versions.Dir, Owners: []string{}}
	entries, err := os.ReadDir(found.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			found.Owners = append(found.Owners, entry.Name())
		}
	}
	found.Bytes, err = folders.DiskUse(found.Folder)
	return found, err
}

// serveHistory sends the files of the versions of one owner as a tar file.
func (a *Agent) serveHistory(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("owner")
	if filepath.Base(name) != name || name[0] == '.' {
		return fault.New(fault.NotFound, "These versions don't exist.")
	}
	out := &begun{ResponseWriter: w}
	archive := tar.NewWriter(out)
	err := versions.CopyForeign(r.Context(), filepath.Join(a.options.Versions.Dir, name), func(name string, content io.Reader) error {
		text, err := io.ReadAll(content) // packs have some MB each
		if err == nil {
			err = archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(text))})
		}
		if err == nil {
			_, err = io.Copy(archive, bytes.NewReader(text))
		}
		return err
	})
	if err == nil {
		err = archive.Close()
	}
	if errors.Is(err, versions.ErrSwept) {
		err = fault.Wrap(err, fault.Conflict, "The versions were rewritten meanwhile. Try again.")
	}
	return out.after(err)
}

// serveRecord sends the record of a session as another hub may have it: its session doesn't run, and its work is made from its last
// version.
func (a *Agent) serveRecord(w http.ResponseWriter, r *http.Request) error {
	known, err := a.known(r)
	if err != nil {
		return err
	}
	known.mu.Lock()
	kept := known.record
	known.mu.Unlock()
	kept.Record = known.work.Record()
	if kept.Phase == "" || kept.Saved == 0 {
		return engine.ErrUnknownSession
	}
	kept.Phase, kept.Account, kept.BuildAccount, kept.Pinned, kept.Restored = engine.Ended, 0, 0, nil, nil
	if kept.PendingRestore == nil {
		kept.PendingRestore = &history.RestoreRequest{Session: known.id, Version: history.Latest}
	}
	content, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return fmt.Errorf("the record can't be written: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(content)
	return nil
}
