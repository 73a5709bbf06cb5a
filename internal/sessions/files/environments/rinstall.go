package environments

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/forwardproxy"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

//go:embed rinstall.R
var installRScript string

const (
	libraryName = "library"    // of packages of R, in an entry of the cache
	wantedName  = "wanted.txt" // the list that rinstall.R reads
	// $0 is Rscript, $1 the folder, $2 the script, $3 the repository.
	installRCommand = `mkdir -p "$1/tmp" "$1/` + libraryName + `" && exec "$0" --vanilla -e "$2" "$1/` + wantedName + `" "$1/` + libraryName + `" "$3" "$1/tmp/drafts"`
)

// addR installs the packages of R that a repository asks for and this server's library lacks, and adds to an environment what came
// of it.
func (i *installation) addR(ctx context.Context, wanted []requirements.RPackage, made *Environment, tell func(string)) error {
	onServer, install, left := i.planR(wanted)
	made.there, made.LeftOut = append(made.there, onServer...), append(made.LeftOut, left...)
	if len(install) == 0 {
		return nil
	}
	about, err := i.aboutR()
	if err != nil {
		return err
	}
	lines := make([]string, len(install))
	for at, one := range install {
		lines[at] = one.Fields()
	}
	description, err := json.Marshal(map[string]any{
		"packages": lines, "repository": i.options.R.Repository, "r": about, "level": i.options.Sandbox.Level(), "folder": i.cache.Folder(), "script": installRScript,
	})
	if err != nil {
		return err
	}
	key, found, there := i.builtR(string(description))
	if there {
		made.RKey, made.LeftOut = key, append(made.LeftOut, found...)
		i.session.Pin(key)
		return i.cache.Touch(key)
	}
	tell, hear := i.cache.Share(key, tell)
	unlock, err := i.cache.Lock(ctx, key, hear)
	if err != nil {
		return err
	}
	defer unlock()
	i.session.Pin(key)
	if i.cache.Has(key) {
		found, _ := i.checkedBefore(key)
		made.RKey, made.LeftOut = key, append(made.LeftOut, found.Left...)
		return i.cache.Touch(key)
	}
	account, err := i.session.AllocateBuildAccount()
	if err != nil {
		return err
	}
	root, err := i.cache.Create(key, account)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := errors.Join(root.WriteFile(wantedName, []byte(strings.Join(lines, "\n")+"\n"), 0o600), root.Chmod(wantedName, 0o644)); err != nil {
		return err
	}
	failed, err := i.runInstallR(ctx, key, account, install, tell)
	if err != nil {
		return err
	}
	err = errors.Join(folders.Remove(root, "tmp"), folders.OwnTree(ctx, root, ".", 0))
	if errors.Is(err, filetree.ErrTooDeep) {
		err = errDeepPackages
	}
	if err != nil {
		return err
	}
	i.session.ReleaseBuildAccount()
	made.RKey, made.LeftOut = key, append(made.LeftOut, failed...)
	at := i.options.Now()
	if slices.ContainsFunc(failed, func(one engine.LeftOut) bool { return one.Why == whyNotInstalled[reasonFailed] }) {
		at = at.Add(failedAgain - lackingAgain) // it may be this session's small memory
	}
	return i.keepChecked(key, checked{At: at, Left: failed})
}

// builtR returns the entry in which these packages were built before, with what it lacks; if there is none, or what it lacks may
// be had by now, the key of the next one.
func (i *Installer) builtR(description string) (key string, left []engine.LeftOut, ok bool) {
	for attempt := 0; ; attempt++ {
		key = cache.KeyOf("R", strconv.Itoa(attempt), description)
		if !i.cache.Has(key) {
			return key, nil, false
		}
		if found, ok := i.checkedBefore(key); ok {
			return key, found.Left, true
		}
	}
}

// runInstallR runs the installation in a box that reaches the repository alone, and returns what it left out.
func (i *installation) runInstallR(ctx context.Context, key string, account int, install []requirements.RPackage, tell func(string)) ([]engine.LeftOut, error) {
	address, err := url.Parse(i.options.R.Repository)
	if err != nil {
		return nil, err
	}
	program, err := findR()
	if err != nil {
		return nil, err
	}
	folder := i.cache.Path(key)
	inside := i.inside(folder, path.Join("environments", key)) // its path in the session, too
	web := i.options.Web.Trusting(address)
	var unreachable atomic.Bool
	proxy := forwardproxy.New(sandbox.Loopback, func(ctx context.Context, network, to string) (net.Conn, error) {
		if to != safehttp.HostAndPort(address) {
			return nil, errOtherHost
		}
		connection, err := web.Dial(ctx, network, to)
		if err != nil {
			unreachable.Store(true)
		}
		return connection, err
	}, i.options.Logger)
	defer proxy.Close()
	box := sandbox.Box{
		Account: account, Mounts: []sandbox.Mount{{From: folder, To: inside, Writable: true}}, Folder: inside,
		Environment: append([]string{"HOME=" + inside, "TMPDIR=" + path.Join(inside, "tmp"), "LC_ALL=C.UTF-8"}, proxy.Environment()...),
		Command:     []string{i.options.Sandbox.Shell(), "-c", installRCommand, program, inside, installRScript, i.options.R.Repository},
		Listening:   func(listener net.Listener) { go proxy.Serve(listener) },
	}
	said := &rOutput{pipOutput: pipOutput{tell: tell, log: i.session.Log}, wanted: install}
	tell("Looking for the packages of R")
	ended, err := i.runWatched(ctx, box, folder, &said.pipOutput, proxy.Received, said.read)
	switch {
	case ended:
		return nil, err
	case said.full:
		return nil, fault.Wrap(err, fault.Unavailable, "%s", folders.DiskFull)
	case unreachable.Load() || err != nil:
		return nil, diagnosis.With(fault.Wrap(err, fault.Unavailable,
			"The repository of packages of R can't be reached, so those of this repository weren't installed. Try again in a while."), diagnosis.IndexUnreachable)
	}
	return said.left, nil
}

// rOutput is the output of rinstall.R.
type rOutput struct {
	pipOutput

	wanted []requirements.RPackage
	left   []engine.LeftOut
}

const (
	reasonFailed = "failed"
	failedAgain  = 10 * time.Minute // until a package that couldn't be built is tried again
)

// whyNotInstalled are the reasons for which rinstall.R leaves a package out, by the word that it prints.
var whyNotInstalled = map[string]string{
	"absent":     "The repository of packages of R doesn't have it.",
	"version":    "The repository of packages of R has no version that fits.",
	"kernel":     "The kernel of R needs a newer version of it, which is on this server.",
	reasonFailed: "It couldn't be installed from the repository of packages of R. See the log.",
}

// rSteps are the beginnings of the lines that say what R is doing.
var rSteps = []string{"trying URL", "* installing"}

func (o *rOutput) read(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		words := strings.Split(line, "\t")
		o.mu.Lock()
		switch {
		case line == "":
		case len(words) == 4 && words[0] == "cairn" && words[1] == "left":
			o.leave(words[2], words[3])
		default:
			o.log(line)
			o.full = o.full || strings.Contains(line, "No space left on device")
			for _, step := range rSteps {
				if strings.HasPrefix(line, step) {
					o.now = engine.Shorten(line, 120)
					o.tell(o.now)
				}
			}
		}
		o.mu.Unlock()
	}
	return lines.Err()
}

// leave adds a package that the repository asks for, once: the code of packages can print such lines, too. mu must be held.
func (o *rOutput) leave(name, reason string) {
	why := whyNotInstalled[reason]
	at := slices.IndexFunc(o.wanted, func(one requirements.RPackage) bool { return one.Is(name) })
	if at < 0 || why == "" || slices.ContainsFunc(o.left, func(one engine.LeftOut) bool { return one.What == o.wanted[at].String() }) {
		return
	}
	o.left = append(o.left, engine.LeftOut{What: o.wanted[at].String(), Why: why})
}
