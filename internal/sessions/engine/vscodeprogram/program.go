// Package vscodeprogram knows code-server: where it is installed, and how it is started for one user in a session's box.
package vscodeprogram

import (
	"archive/tar"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"cairn/internal/foundation/fault"
)

// Program is an installed code-server.
type Program struct {
	Path   string // of the program, where sessions find it
	Folder string // its package, which sessions see at this path
	Name   string // with its version
}

// adapted is a file in the package of a code-server that scripts/code-server.sh has installed: pages of others may ask hosts elsewhere.
const adapted = ".cairn"

// deepest is how far above its program the package of a code-server is looked for: in npm's it is three folders.
const deepest = 6

// Find returns the code-server to which a path leads.
func Find(path string) (Program, error) {
	program, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Program{}, fault.Wrap(err, fault.Unavailable, "There is no VS Code at %s. Operators set it in sessions.vscode.", path)
	}
	folder := filepath.Dir(program)
	for range deepest {
		var about struct{ Name, Version string }
		content, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if err == nil && json.Unmarshal(content, &about) == nil && about.Name == "code-server" {
			if _, err := os.Stat(filepath.Join(folder, adapted)); err != nil {
				return Program{}, fault.Wrap(err, fault.Unavailable, "The pages of the code-server at %s contact a host on the internet. Install it with scripts/code-server.sh, which prevents that.", path)
			}
			if above := filepath.Dir(folder); filepath.Base(above) == "node_modules" { // where npm puts what it needs
				folder = above
			}
			return Program{Path: program, Folder: folder, Name: "code-server " + about.Version}, nil
		}
		folder = filepath.Dir(folder)
	}
	return Program{}, fault.New(fault.Unavailable, "The program %s isn't a code-server. Operators set it in sessions.vscode.", path)
}

// Settings say what a server is started for. All are required; paths are those of the box.
type Settings struct {
	Socket string // at which it listens
	Data   string // folder of its state, which stays with the session
	Folder string // that it opens
	Name   string // of the product, in its title
}

// Command returns the command line of a server. Whoever reaches its socket is let in.
func (p Program) Command(s Settings) []string {
	return []string{
		p.Path, "--socket", s.Socket, "--socket-mode", "600", "--auth", "none", "--config", filepath.Join(s.Data, "config.yaml"),
		"--user-data-dir", s.Data, "--extensions-dir", filepath.Join(s.Data, "extensions"), "--session-socket", s.Socket + ".session",
		"--app-name", s.Name, "--disable-telemetry", "--disable-update-check", "--disable-proxy", "--disable-getting-started-override",
		"--disable-workspace-trust", "--ignore-last-opened", s.Folder,
	}
}

// Environment are the variables of a server, which offers extensions from elsewhere only with the gallery that its makers chose. Its pages
// can't reach that, and have the server do it.
func Environment(gallery bool) []string {
	variables := []string{"SHELL=/bin/bash"} // which tells when commands begin and end
	if !gallery {
		variables = append(variables, "EXTENSIONS_GALLERY={}")
	}
	return variables
}

// CheckHealth returns nil if the server that a transport reaches answers. A server listens a moment before it knows its pages.
func CheckHealth(ctx context.Context, transport http.RoundTripper) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://vscode/healthz", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("VS Code answers %s", answer.Status)
	}
	return errors.Join(err, answer.Body.Close())
}

// UserSettings is the file of a user's own settings, below the folder of a server's state, and FirstUserSettings what is in it unless
// it is there.
const (
	UserSettings      = "User/settings.json"
	FirstUserSettings = `{"telemetry.telemetryLevel": "off"}`
)

// extension is what sessions add to VS Code.
//
//go:embed extension
var extension embed.FS

// Prepare writes what Archive has into the folder of a server's state, and the first settings of a user who has none.
func Prepare(data, session, open string) error {
	packed, err := Archive(session, open)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(data)
	if err != nil {
		return err
	}
	defer root.Close()
	archive := tar.NewReader(bytes.NewReader(packed))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(archive)
		if err == nil {
			err = errors.Join(root.MkdirAll(filepath.Dir(header.Name), 0o700), root.WriteFile(header.Name, content, 0o600))
		}
		if err != nil {
			return err
		}
	}
	if _, err := root.Stat(UserSettings); err == nil {
		return nil
	}
	return errors.Join(root.MkdirAll(filepath.Dir(UserSettings), 0o700), root.WriteFile(UserSettings, []byte(FirstUserSettings), 0o600))
}

// Archive returns the files below the folder of a server's state that it needs, as a tar file: its configuration, the settings that
// tell the extension which session it is in and which file is opened, and the extension.
func Archive(session, open string) ([]byte, error) {
	settings, err := json.Marshal(map[string]any{
		"cairn.session": session, "cairn.open": open, "workbench.startupEditor": "none", "extensions.autoUpdate": false,
	})
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	add := func(name string, content []byte) error {
		err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))})
		if err == nil {
			_, err = archive.Write(content)
		}
		return err
	}
	err = errors.Join(add("config.yaml", []byte("auth: none\ncert: false\n")), add("Machine/settings.json", settings))
	err = errors.Join(err, fs.WalkDir(extension, "extension", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := extension.ReadFile(path)
		if err != nil {
			return err
		}
		return add("extensions/cairn.session-1.0.0"+strings.TrimPrefix(path, "extension"), content)
	}))
	err = errors.Join(err, archive.Close())
	return packed.Bytes(), err
}
