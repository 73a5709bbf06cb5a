package environments

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/forwardproxy"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// Builder is a program of the operators that makes environments for which pip isn't enough. It is called with the
// folder of the files in which a repository says what it needs, and the empty folder of the environment.
type Builder struct {
	Command string   // absolute path; empty: there is none
	Hosts   []string // that it reaches, at ports 80 and 443
}

const filesName = "repository"

// leftOutPrefix begins the lines of a builder that say what it left out, and why.
const leftOutPrefix = "left out: "

// leftOutLimit is how many of these lines count; a program can print any number.
const leftOutLimit = 1_000

// build returns the environment that the builder makes, or made before from the same files.
func (i *installation) build(ctx context.Context, wanted requirements.Requirements, tell func(string)) (Environment, error) {
	about := Environment{asked: true, builder: true}
	key, err := i.buildKey(wanted.Files)
	if err != nil {
		return about, err
	}
	about.Key = key
	tell, hear := i.cache.Share(key, tell)
	unlock, err := i.cache.Lock(ctx, key, hear)
	if err != nil {
		return about, err
	}
	defer unlock()
	i.session.Pin(key)
	if i.cache.Has(key) {
		found, _ := i.checkedBefore(key)
		about.LeftOut = found.Left
		return about, i.cache.Touch(key)
	}
	account, err := i.session.AllocateBuildAccount()
	if err != nil {
		return about, err
	}
	root, err := i.cache.Create(key, account)
	if err != nil {
		return about, err
	}
	defer root.Close()
	if err := writeFiles(root, wanted.Files); err != nil {
		return about, err
	}
	if err := errors.Join(folders.Own(root, venvName, account), root.Chmod(venvName, 0o755)); err != nil {
		return about, err
	}
	if about.LeftOut, err = i.runBuilder(ctx, key, account, tell); err != nil {
		return about, err
	}
	if _, err := root.Lstat(path.Join(venvName, "bin/python")); err != nil {
		return about, fault.Wrap(err, fault.Unavailable, "The environment builder made no Python for this repository. The operators set the builder in sessions.builder.")
	}
	err = errors.Join(folders.Remove(root, "tmp"), folders.Remove(root, filesName), folders.OwnTree(ctx, root, ".", 0))
	if errors.Is(err, filetree.ErrTooDeep) {
		err = errDeepPackages
	}
	if err != nil {
		return about, err
	}
	i.session.ReleaseBuildAccount()
	return about, i.keepChecked(key, checked{At: i.options.Now(), Left: about.LeftOut})
}

// buildKey identifies what the builder makes by the files that it gets, itself, and where it runs.
func (i *Installer) buildKey(files map[string]string) (string, error) {
	builder, err := os.Stat(i.options.Builder.Command)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The environment builder is no longer on this server. Tell the operators.")
	}
	text, err := json.Marshal(map[string]any{
		"files": files, "command": i.options.Builder.Command, "size": builder.Size(), "changed": builder.ModTime().UnixNano(),
		"level": i.options.Sandbox.Level(), "folder": i.cache.Folder(),
	})
	return cache.KeyOf("build", string(text)), err
}

// writeFiles writes the files that the builder gets: those that its key names, and no others.
func writeFiles(root *os.Root, files map[string]string) error {
	if err := folders.Share(root, filesName); err != nil {
		return err
	}
	for name, text := range files {
		name = path.Join(filesName, name)
		if err := folders.Share(root, path.Dir(name)); err != nil {
			return err
		}
		if err := errors.Join(root.WriteFile(name, []byte(text), 0o600), root.Chmod(name, 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// runBuilder runs the builder and returns what it left out.
func (i *installation) runBuilder(ctx context.Context, key string, account int, tell func(string)) ([]engine.LeftOut, error) {
	box := i.builderBox(key, account)
	var received func() int64
	if i.options.Web != nil && len(i.options.Builder.Hosts) > 0 {
		proxy := forwardproxy.New(sandbox.Loopback, i.dialForBuilder, i.options.Logger)
		defer proxy.Close()
		box.Listening = func(listener net.Listener) { go proxy.Serve(listener) }
		box.Environment = append(box.Environment, proxy.Environment()...)
		received = proxy.Received
	}
	said := &buildOutput{pipOutput: pipOutput{tell: tell, log: i.session.Log}}
	ended, err := i.runWatched(ctx, box, i.cache.Path(key), &said.pipOutput, received, said.read)
	switch {
	case err == nil || ended:
		return said.left, err
	case said.full:
		return nil, fault.Wrap(err, fault.Unavailable, "%s", folders.DiskFull)
	case said.last == "":
		return nil, fault.Wrap(err, fault.Unavailable, "The environment of this repository couldn't be built.")
	}
	return nil, fault.Wrap(err, fault.Unavailable, "The environment of this repository couldn't be built: %s.", strings.TrimRight(engine.Shorten(said.last, 300), "."))
}

func (i *Installer) builderBox(key string, account int) sandbox.Box {
	folder := i.cache.Path(key)
	inside := i.inside(folder, path.Join("environments", key)) // its path in the session, too
	mounts := []sandbox.Mount{{From: folder, To: inside, Writable: true}}
	command := i.options.Builder.Command
	if !strings.HasPrefix(command, "/usr/") {
		there := i.inside(command, filepath.Base(command))
		mounts = append(mounts, sandbox.Mount{From: command, To: there})
		command = there
	}
	return sandbox.Box{
		Account: account, Mounts: mounts, Folder: inside,
		Environment: []string{"HOME=" + inside, "TMPDIR=" + path.Join(inside, "tmp"), "PYTHONUNBUFFERED=1"},
		Command: []string{
			i.options.Sandbox.Shell(), "-c", `mkdir -p "$1/tmp" && exec "$0" "$1/` + filesName + `" "$1/` + venvName + `"`, command, inside,
		},
	}
}

var errOtherHost = errors.New("the builder isn't allowed to reach this host")

// dialForBuilder reaches the hosts that operators name, by the rules for addresses of users.
func (i *Installer) dialForBuilder(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	named := slices.ContainsFunc(i.options.Builder.Hosts, func(one string) bool { return strings.EqualFold(one, host) })
	if !named || port != "443" && port != "80" {
		return nil, fmt.Errorf("%w: %s", errOtherHost, address)
	}
	return i.options.Web.Dial(ctx, network, address)
}

// buildOutput is the builder's output.
type buildOutput struct {
	pipOutput

	left []engine.LeftOut
}

func (b *buildOutput) read(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		if line == "" {
			continue
		}
		b.log(line)
		b.mu.Lock()
		b.full = b.full || strings.Contains(line, "No space left on device")
		b.last, b.now = line, engine.Shorten(line, 120)
		if wish, found := strings.CutPrefix(line, leftOutPrefix); found && len(b.left) < leftOutLimit {
			what, why, _ := strings.Cut(wish, ": ")
			b.left = append(b.left, engine.LeftOut{What: what, Why: why})
		} else {
			b.tell(b.now)
		}
		b.mu.Unlock()
	}
	return lines.Err()
}
