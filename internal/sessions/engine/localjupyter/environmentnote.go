package localjupyter

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"cairn/internal/sessions/engine"
)

// made is the environment of a session.
type made struct {
	key     string   // of its entry in the cache; "" for the server's own
	builder bool     // the operators' builder made it
	there   []string // packages of this server that the repository asks for
	instead []string // packages of conda that pip installed
	left    []engine.LeftOut
	asked   bool // the repository asks for something
}

const (
	noteName = "Environment.txt"
	noteHead = "The environment of this session\n"
	nextNote = "environment.next"
)

// writeNote writes beside the work what was installed and what wasn't. It replaces nothing but its own file.
func (s *session) writeNote(root *os.Root, about made) error {
	if !about.asked {
		return nil
	}
	s.mu.Lock()
	userID := s.record.UserID
	s.mu.Unlock()
	name := path.Join(workName, noteName)
	existing, err := root.Lstat(name)
	if err == nil && (!existing.Mode().IsRegular() || readOwn(root, name, int64(len(noteHead))) != noteHead) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.Remove(nextNote); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = root.WriteFile(nextNote, []byte(s.engine.note(about)), 0o600)
	if err == nil && userID != 0 {
		err = root.Lchown(nextNote, userID, userID)
	}
	if err != nil {
		return err
	}
	return root.Rename(nextNote, name)
}

func (e *Engine) note(about made) string {
	var text strings.Builder
	text.WriteString(noteHead)
	list := func(head string, lines []string) {
		if len(lines) > 0 {
			text.WriteString("\n" + head + "\n  " + strings.Join(lines, "\n  ") + "\n")
		}
	}
	switch installed := e.installed(about.key); {
	case about.key == "":
		text.WriteString("\nNothing was installed: notebooks run on this server's own Python.\n")
	case about.builder:
		list("Built by this server's builder of environments:", installed)
	default:
		list("Installed by pip from "+e.packageSource()+", on top of this server's own packages:", installed)
	}
	list("Packages of conda that pip installed instead:", about.instead)
	list("On this server anyway:", about.there)
	var left []string
	for _, one := range about.left {
		left = append(left, one.What+": "+one.Why)
	}
	list("Left out:", left)
	return text.String()
}

// packageSource names where pip gets packages from.
func (e *Engine) packageSource() string {
	if e.index == nil {
		return "the folder of wheels that the operators keep"
	}
	address, err := url.Parse(e.index.String())
	if err != nil {
		return "the package index"
	}
	address.User = nil
	return address.String()
}

// installed lists the packages in an environment, whose names their authors chose.
func (e *Engine) installed(key string) []string {
	if key == "" {
		return nil
	}
	root, err := e.caches[environmentsCache].open(key)
	if err != nil {
		return nil
	}
	defer root.Close()
	found, _ := fs.Glob(root.FS(), venvName+"/lib/python3*/site-packages/*.dist-info")
	var names []string
	for _, one := range found[:min(len(found), 1000)] {
		name, version, _ := strings.Cut(strings.TrimSuffix(path.Base(one), ".dist-info"), "-")
		names = append(names, engine.Shorten(strings.ToValidUTF8(name+" "+version, "?"), 100))
	}
	return names
}
