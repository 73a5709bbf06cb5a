package environments

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/machine/sandbox"
)

// installedR.R prints the version of R, and the packages in its library, as JSON.
//
//go:embed installed.R
var installedRScript string

// R says where packages of R come from.
type R struct {
	Repository string // address of a repository such as CRAN's; empty: none, and nothing is installed
}

// rLibrary is this server's R, when it was last asked.
type rLibrary struct {
	// mu guards the fields below.
	mu    sync.Mutex
	about installedR
	seen  string // when the folders of its packages last changed
}

// installedR is what installed.R prints.
type installedR struct {
	Version  string            `json:"version"`
	Machine  string            `json:"machine"`
	Folders  []string          `json:"folders"`
	Packages map[string]string `json:"packages"` // versions, by name
	Base     []string          `json:"base"`     // those that are a part of R
}

// rPrograms are where the program is that runs scripts of R: the first counts, as in the PATH of sessions.
var rPrograms = []string{"/usr/local/bin/Rscript", "/usr/bin/Rscript"}

// errNoR says that this server has no R.
var errNoR = errors.New("there is no R")

// HasR reports whether this server has R.
func (i *Installer) HasR() bool {
	_, err := findR()
	return err == nil
}

func findR() (program string, err error) {
	for _, one := range rPrograms {
		if _, err := os.Stat(one); err == nil {
			return one, nil
		}
	}
	return "", errNoR
}

// aboutR returns this server's R and its packages. R is asked again if they changed, for example by an update.
func (i *Installer) aboutR() (installedR, error) {
	l := &i.r
	l.mu.Lock()
	defer l.mu.Unlock()
	program, err := findR()
	if err != nil {
		return installedR{}, err
	}
	if l.seen != "" && l.seen == changesOf(program, l.about.Folders) {
		return l.about, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), installedTime)
	defer cancel()
	command := exec.CommandContext(ctx, program, "--vanilla", "-e", installedRScript)
	command.Dir, command.Env = "/", []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TMPDIR=" + os.TempDir()}
	output, err := command.Output()
	if err != nil {
		return installedR{}, err
	}
	if l.about, err = parseInstalledR(output); err != nil {
		return installedR{}, err
	}
	l.seen = changesOf(program, l.about.Folders)
	return l.about, nil
}

func parseInstalledR(printed []byte) (found installedR, err error) {
	printed = bytes.TrimSpace(printed)
	err = json.Unmarshal(printed[bytes.LastIndexByte(printed, '\n')+1:], &found)
	return found, err
}

// find returns the name and version of an installed package that a repository asks for; false if there is none.
func (r installedR) find(wanted requirements.RPackage) (name, version string, ok bool) {
	if version, ok := r.Packages[wanted.Name]; ok {
		return wanted.Name, version, true
	}
	for name, version := range r.Packages {
		if wanted.Is(name) {
			return name, version, true
		}
	}
	return "", "", false
}

// split sorts the packages that a repository asks for into those that this server's library has and those that it lacks. Another
// version of R is left out, because installing packages can't provide it.
func (r installedR) split(wanted []requirements.RPackage) (there []string, lacking []requirements.RPackage, left []engine.LeftOut) {
	for _, one := range wanted {
		name, version, found := r.find(one)
		switch {
		case one.IsR() && one.IsFulfilledBy(r.Version):
		case one.IsR():
			left = append(left, engine.LeftOut{What: one.String(), Why: "Sessions of this server have R " + r.Version + "."})
		case found && one.IsFulfilledBy(version):
			if !slices.Contains(r.Base, name) {
				there = append(there, name+" "+version+" (R)")
			}
		default:
			lacking = append(lacking, one)
		}
	}
	return there, lacking, left
}

// planR decides what is made of the packages of R that a repository asks for, before a repository of packages is asked.
func (i *Installer) planR(wanted []requirements.RPackage) (there []string, install []requirements.RPackage, left []engine.LeftOut) {
	if len(wanted) == 0 {
		return nil, nil, nil
	}
	about, err := i.aboutR()
	if err != nil {
		why := "This server has no R. The operators can add it: apt-get install r-base-core r-cran-irkernel"
		return nil, nil, (&requirements.Requirements{R: wanted}).LeaveR(why)
	}
	there, lacking, left := about.split(wanted)
	var why string
	switch {
	case i.options.R.Repository == "" || i.options.Web == nil:
		why = "This server's R doesn't have it, and installs no packages. The operators can set sessions.r.repository."
	case !i.builds():
		why = "This server's R doesn't have it. Packages of R are built only where sessions have boxes of their own."
	default:
		return there, lacking, left
	}
	for _, one := range lacking {
		reason := why
		if _, version, found := about.find(one); found {
			reason = fmt.Sprintf("This server's R has version %s of it, and installs no packages.", version)
		}
		left = append(left, engine.LeftOut{What: one.String(), Why: reason})
	}
	return there, nil, left
}

// InstalledR lists the packages of R that a session has: those of this server's library, and of the folder of the cache with this
// key, if there is one.
func (i *Installer) InstalledR(ctx context.Context, key, jupyter string) (engine.Installed, error) {
	program, err := findR()
	if err != nil {
		return engine.Installed{}, err
	}
	box := sandbox.Box{
		Network: sandbox.None, Folder: "/", Environment: []string{"HOME=/", "LC_ALL=C.UTF-8"},
		Command: []string{program, "--vanilla", "-e", installedRScript}, Mounts: []sandbox.Mount{{From: i.cache.Folder(), To: "/session/environments"}},
	}
	if key != "" {
		box.Environment = append(box.Environment, "R_LIBS="+i.RLibrary(key))
	}
	printed, err := i.listAlone(ctx, box)
	if err != nil {
		return engine.Installed{}, err
	}
	list, err := listR(printed, jupyter)
	if err != nil {
		return engine.Installed{}, err
	}
	return list.describe()
}

// listR returns what installed.R printed as it goes into the digest.
func listR(printed []byte, jupyter string) (list installed, err error) {
	found, err := parseInstalledR(printed)
	if err != nil {
		return list, err
	}
	list = installed{Language: "R", Version: found.Version, Machine: found.Machine, Jupyter: jupyter, Packages: []string{}}
	for name, version := range found.Packages {
		if !slices.Contains(found.Base, name) {
			list.Packages = append(list.Packages, name+"=="+version)
		}
	}
	slices.SortFunc(list.Packages, func(one, other string) int { return strings.Compare(strings.ToLower(one), strings.ToLower(other)) })
	return list, nil
}

// RLibrary returns the path by which a session finds the packages of R that were installed for it; "" for no key.
func (i *Installer) RLibrary(key string) string {
	if key == "" {
		return ""
	}
	return path.Join(i.inside(i.cache.Path(key), path.Join("environments", key)), libraryName)
}

// listAlone runs a command in a box of no session, for at most a minute, and returns what it prints.
func (i *Installer) listAlone(ctx context.Context, box sandbox.Box) (printed []byte, err error) {
	if i.options.Sandbox.Level().OwnAccount() {
		if box.Account, err = i.options.PickAccount(); err != nil {
			return nil, err
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
		return nil, err
	}
	return <-said, nil
}

// changesOf describes a program and folders; it changes when one of them does.
func changesOf(program string, folders []string) string {
	var seen strings.Builder
	for _, path := range append([]string{program}, folders...) {
		if about, err := os.Stat(path); err == nil {
			fmt.Fprintln(&seen, path, about.Size(), about.ModTime().UnixNano())
		}
	}
	return seen.String()
}
