package environments

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// Environment is the environment of a session.
type Environment struct {
	Key     string           // of its entry in the cache; "" for the server's own
	RKey    string           // of the entry with its packages of R; "" for the server's own alone
	LeftOut []engine.LeftOut // what the repository asks for and isn't in it

	builder bool     // the operators' builder made it
	there   []string // packages of this server that the repository asks for
	instead []string // packages of conda that pip installed
	asked   bool     // the repository asks for something
}

const (
	noteName = "Environment.txt"
	noteHead = "The environment of this session\n"
	nextNote = "environment.next"
)

// writeNote writes beside the work what was installed and what wasn't. It replaces nothing but its own file.
func (i *Installer) writeNote(root *os.Root, about Environment, account int) error {
	if !about.asked {
		return nil
	}
	name := path.Join(folders.Work, noteName)
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
	err = root.WriteFile(nextNote, []byte(i.note(about)), 0o600)
	if err == nil && account != 0 {
		err = root.Lchown(nextNote, account, account)
	}
	if err != nil {
		return err
	}
	return root.Rename(nextNote, name)
}

func (i *Installer) note(about Environment) string {
	var text strings.Builder
	text.WriteString(noteHead)
	list := func(head string, lines []string) {
		if len(lines) > 0 {
			text.WriteString("\n" + head + "\n  " + strings.Join(lines, "\n  ") + "\n")
		}
	}
	switch installed := i.packagesIn(about.Key, pythonPackages); {
	case about.Key == "" && about.RKey == "":
		text.WriteString("\nNothing was installed: notebooks run on what this server has.\n")
	case about.Key == "":
	case about.builder:
		list("Built by this server's builder of environments:", installed)
	default:
		list("Installed by pip from "+i.packageSource()+", on top of this server's own packages:", installed)
	}
	list("Packages of R, installed from "+i.options.R.Repository+":", i.packagesIn(about.RKey, rPackages))
	list("Packages of conda that pip installed instead:", about.instead)
	list("On this server anyway:", about.there)
	var left []string
	for _, one := range about.LeftOut {
		left = append(left, one.What+": "+one.Why)
	}
	list("Left out:", left)
	return text.String()
}

// packageSource names where pip gets packages from.
func (i *Installer) packageSource() string {
	if i.index == nil {
		return "the folder of wheels that the operators keep"
	}
	address, err := url.Parse(i.index.String())
	if err != nil {
		return "the package index"
	}
	address.User = nil
	return address.String()
}

// packagesIn lists the packages in an entry of the cache, at most packagesListed of them.
func (i *Installer) packagesIn(key string, list func(*os.Root) []string) []string {
	if key == "" {
		return nil
	}
	root, err := i.cache.OpenEntry(key)
	if err != nil {
		return nil
	}
	defer root.Close()
	names := list(root)
	return names[:min(len(names), packagesListed)]
}

// packagesListed is the maximum number of packages in a note.
const packagesListed = 1_000

// pythonPackages lists the packages in a Python environment, whose names their authors chose.
func pythonPackages(root *os.Root) (names []string) {
	for _, version := range foldersIn(root, venvName+"/lib") {
		if !strings.HasPrefix(version, "python3") {
			continue
		}
		for _, one := range foldersIn(root, path.Join(venvName, "lib", version, "site-packages")) {
			if name, isPackage := strings.CutSuffix(one, ".dist-info"); isPackage {
				name, version, _ := strings.Cut(name, "-")
				names = append(names, engine.Shorten(strings.ToValidUTF8(name+" "+version, "?"), 100))
			}
		}
	}
	return names
}

// rPackages lists the packages in a library of R, whose names and versions their authors chose.
func rPackages(root *os.Root) (names []string) {
	for _, one := range foldersIn(root, libraryName) {
		_, rest, _ := strings.Cut("\n"+readOwn(root, path.Join(libraryName, one, "DESCRIPTION"), 1<<16), "\nVersion:")
		version, _, _ := strings.Cut(rest, "\n")
		names = append(names, engine.Shorten(strings.ToValidUTF8(one+" "+strings.TrimSpace(version), "?"), 100))
	}
	return names
}

// foldersIn returns the names of the folders in a folder, which others have filled: pipes and links in it aren't opened.
func foldersIn(root *os.Root, name string) (names []string) {
	folder, err := root.OpenFile(name, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(-1)
	for _, one := range entries {
		if one.IsDir() {
			names = append(names, one.Name())
		}
	}
	slices.Sort(names)
	return names
}

// readOwn reads a file that this server wrote into a folder that others may have changed since; "" for anything else.
func readOwn(root *os.Root, name string, most int64) string {
	file, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer file.Close()
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		return ""
	}
	content, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	return string(content)
}
