package environments

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/sandbox"
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

// Installed lists the packages of a Python that a session runs with, which it finds by this path. The name of its Jupyter is
// part of the digest.
func (i *Installer) Installed(ctx context.Context, python, jupyter string) (engine.Installed, error) {
	found, err := i.listInstalled(ctx, python)
	if err != nil {
		return engine.Installed{}, fault.Wrap(err, fault.Unavailable, "The packages that the session runs with couldn't be listed. Try again in a while.")
	}
	found.Jupyter = jupyter
	return found.describe()
}

// listInstalled has a Python list its packages in a box, where the code in them that every start of Python runs reaches
// nothing.
func (i *Installer) listInstalled(ctx context.Context, python string) (found installed, err error) {
	box := sandbox.Box{
		Network: sandbox.None, Folder: "/", Environment: []string{"HOME=/"}, Command: []string{python, "-I", "-B", "-c", installedScript},
		Mounts: []sandbox.Mount{{From: i.cache.Folder(), To: "/session/environments"}},
	}
	if i.options.Sandbox.Level().OwnAccount() {
		if box.Account, err = i.options.PickAccount(); err != nil {
			return found, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, installedTime)
	defer cancel()
	said := make(chan []byte, 1)
	err = i.options.RunAlone(ctx, box, func(output io.Reader) error {
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

// describe returns it as engines tell it.
func (i installed) describe() (engine.Installed, error) {
	for at, one := range i.Packages {
		i.Packages[at] = engine.Shorten(one, packageLength)
	}
	text, err := json.Marshal(i)
	digest := sha256.Sum256(text)
	return engine.Installed{
		Digest: hex.EncodeToString(digest[:]), Python: engine.Shorten(i.Python, packageLength), Packages: i.Packages[:min(len(i.Packages), engine.PackageLimit)],
	}, err
}
