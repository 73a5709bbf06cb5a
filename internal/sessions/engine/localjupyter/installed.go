package localjupyter

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
)

//go:embed installed.py
var installedScript string

const (
	installedTime  = time.Minute
	installedBytes = 4 << 20 // of what the script prints
	packageLength  = 200     // bytes of a name with its version, which their authors chose
)

// installed is what the script prints, and the server beside it.
type installed struct {
	Python   string   `json:"python"`
	Machine  string   `json:"machine"`
	Jupyter  string   `json:"jupyter"`
	Packages []string `json:"packages"`
}

// Environment implements engine.Runner.
func (e *Engine) Environment(ctx context.Context, id string) (engine.Installed, error) {
	known := e.find(id)
	if known == nil {
		return engine.Installed{}, errNotRunning
	}
	known.mu.Lock()
	running, python, jupyter := known.record.Phase == engine.Running, known.record.Python, known.record.Jupyter
	known.mu.Unlock()
	if !running {
		return engine.Installed{}, errNotRunning
	}
	if python == "" {
		return engine.Installed{}, fault.New(fault.Unavailable, "What the session runs with isn't known, because an earlier version of Cairn started it. Restart the session.")
	}
	found, err := e.listInstalled(ctx, python)
	if err != nil {
		return engine.Installed{}, fault.Wrap(err, fault.Unavailable, "The packages that the session runs with couldn't be listed. Try again in a while.")
	}
	found.Jupyter = jupyter
	return found.told()
}

// listInstalled has a Python list its packages in a box, where the code in them that every start of Python runs reaches
// nothing.
func (e *Engine) listInstalled(ctx context.Context, python string) (found installed, err error) {
	box := sandbox.Box{
		Network: sandbox.None, Folder: "/", Environment: []string{"HOME=/"}, Command: []string{python, "-I", "-B", "-c", installedScript},
		Mounts: []sandbox.Mount{{From: e.caches[environmentsCache].folder, To: "/session/environments"}},
	}
	if e.sandbox.Level().OwnAccount() {
		if box.Account, err = e.pickAccount(); err != nil {
			return found, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, installedTime)
	defer cancel()
	defer context.AfterFunc(e.background, cancel)()
	said := make(chan []byte, 1)
	err = e.aside(ctx, box, func(output io.Reader) error {
		printed, err := io.ReadAll(io.LimitReader(output, installedBytes))
		said <- bytes.TrimSpace(printed)
		return err
	})
	if err != nil {
		return found, err
	}
	printed := <-said
	return found, json.Unmarshal(printed[bytes.LastIndexByte(printed, '\n')+1:], &found) // packages may have printed before
}

// told returns it as engines tell it.
func (i installed) told() (engine.Installed, error) {
	for at, one := range i.Packages {
		i.Packages[at] = engine.Shorten(one, packageLength)
	}
	text, err := json.Marshal(i)
	digest := sha256.Sum256(text)
	return engine.Installed{
		Digest: hex.EncodeToString(digest[:]), Python: engine.Shorten(i.Python, packageLength), Packages: i.Packages[:min(len(i.Packages), engine.PackageLimit)],
	}, err
}
