package environments

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
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

// installed is what installed.py prints, and the server beside it.
type installed struct {
	Language string   `json:"language,omitempty"` // "" for Python
	Version  string   `json:"python"`             // of the language
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
	printed, err := i.listAlone(ctx, box)
	if err != nil {
		return found, err
	}
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
		Digest: hex.EncodeToString(digest[:]), Version: engine.Shorten(i.Version, packageLength), Packages: i.Packages[:min(len(i.Packages), engine.PackageLimit)],
	}, err
}
