package localjupyter

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

	"cairn/internal/fault"
	"cairn/internal/filetree"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
)

// Builder is a program of the operators that makes environments for which pip isn't enough. It is called with the
// folder of the files in which a repository says what it needs, and the empty folder of the environment.
type Builder struct {
	Command string   // absolute path; empty: there is none
	Hosts   []string // that it reaches, at ports 80 and 443
}

const wishesName = "repository"

// leftOutPrefix begins the lines of a builder that say what it left out, and why.
const leftOutPrefix = "left out: "

// build returns the environment that the builder makes, or made before from the same files.
func (s *session) build(ctx context.Context, wishes requirements.Wishes, tell func(string)) (made, error) {
	about := made{asked: true, builder: true}
	key, err := s.engine.buildKey(wishes.Files)
	if err != nil {
		return about, err
	}
	about.key = key
	cache := s.engine.caches[environmentsCache]
	tell, hear := cache.share(key, tell)
	unlock, err := cache.lock(ctx, key, hear)
	if err != nil {
		return about, err
	}
	defer unlock()
	s.use(key)
	if cache.has(key) {
		found, _ := s.engine.checkedBefore(key)
		about.left = found.Left
		return about, cache.used(key)
	}
	helper, err := s.helper()
	if err != nil {
		return about, err
	}
	root, err := cache.fresh(key, helper)
	if err != nil {
		return about, err
	}
	defer root.Close()
	if err := writeWishes(root, wishes.Files); err != nil {
		return about, err
	}
	if err := errors.Join(ownFolder(root, venvName, helper), root.Chmod(venvName, 0o755)); err != nil {
		return about, err
	}
	if about.left, err = s.runBuilder(ctx, key, helper, tell); err != nil {
		return about, err
	}
	if _, err := root.Lstat(path.Join(venvName, "bin/python")); err != nil {
		return about, fault.Wrap(err, fault.Unavailable, "The environment builder made no Python for this repository. The operators set the builder in sessions.builder.")
	}
	err = errors.Join(removeTree(root, "tmp"), removeTree(root, wishesName), ownTree(ctx, root, ".", 0))
	if errors.Is(err, filetree.ErrTooDeep) {
		err = errDeepPackages
	}
	if err != nil {
		return about, err
	}
	s.helped()
	return about, s.engine.keepChecked(key, checked{At: s.engine.options.Now(), Left: about.left})
}

// buildKey identifies what the builder makes by the files that it gets, itself, and where it runs.
func (e *Engine) buildKey(files map[string]string) (string, error) {
	builder, err := os.Stat(e.options.Builder.Command)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The environment builder is no longer on this server. Tell the operators.")
	}
	text, err := json.Marshal(map[string]any{
		"files": files, "command": e.options.Builder.Command, "size": builder.Size(), "changed": builder.ModTime().UnixNano(),
		"level": e.sandbox.Level(), "folder": e.caches[environmentsCache].folder,
	})
	return keyOf("build", string(text)), err
}

// writeWishes writes the files that the builder gets: those that its key names, and no others.
func writeWishes(root *os.Root, files map[string]string) error {
	if err := sharedFolder(root, wishesName); err != nil {
		return err
	}
	for name, text := range files {
		name = path.Join(wishesName, name)
		if err := sharedFolder(root, path.Dir(name)); err != nil {
			return err
		}
		if err := errors.Join(root.WriteFile(name, []byte(text), 0o600), root.Chmod(name, 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// runBuilder runs the builder and returns what it left out.
func (s *session) runBuilder(ctx context.Context, key string, helper int, tell func(string)) ([]engine.LeftOut, error) {
	box := s.engine.builderBox(key, helper)
	var received func() int64
	if s.engine.options.Web != nil && len(s.engine.options.Builder.Hosts) > 0 {
		proxy := sandbox.NewProxy(s.engine.dialForBuilder, s.engine.options.Logger)
		defer proxy.Close()
		box.Listening = func(listener net.Listener) { go proxy.Serve(listener) }
		box.Environment = append(box.Environment, proxy.Environment()...)
		received = proxy.Received
	}
	said := &buildOutput{pipOutput: pipOutput{tell: tell, log: s.appendLog}}
	ended, err := s.runWatched(ctx, box, s.engine.caches[environmentsCache].path(key), &said.pipOutput, received, said.read)
	switch {
	case err == nil || ended:
		return said.left, err
	case said.full:
		return nil, fault.Wrap(err, fault.Unavailable, "%s", diskFull)
	case said.last == "":
		return nil, fault.Wrap(err, fault.Unavailable, "The environment of this repository couldn't be built.")
	}
	return nil, fault.Wrap(err, fault.Unavailable, "The environment of this repository couldn't be built: %s.", strings.TrimRight(engine.Shorten(said.last, 300), "."))
}

func (e *Engine) builderBox(key string, helper int) sandbox.Box {
	folder := e.caches[environmentsCache].path(key)
	inside := e.inside(folder, path.Join("environments", key)) // its path in the session, too
	mounts := []sandbox.Mount{{From: folder, To: inside, Writable: true}}
	command := e.options.Builder.Command
	if !strings.HasPrefix(command, "/usr/") {
		there := e.inside(command, filepath.Base(command))
		mounts = append(mounts, sandbox.Mount{From: command, To: there})
		command = there
	}
	return sandbox.Box{
		Account: helper, Mounts: mounts, Folder: inside,
		Environment: []string{"HOME=" + inside, "TMPDIR=" + path.Join(inside, "tmp"), "PYTHONUNBUFFERED=1"},
		Command: []string{
			e.sandbox.Shell(), "-c", `mkdir -p "$1/tmp" && exec "$0" "$1/` + wishesName + `" "$1/` + venvName + `"`, command, inside,
		},
	}
}

var errOtherHost = errors.New("the builder isn't allowed to reach this host")

// dialForBuilder reaches the hosts that operators name, by the rules for addresses of users.
func (e *Engine) dialForBuilder(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	named := slices.ContainsFunc(e.options.Builder.Hosts, func(one string) bool { return strings.EqualFold(one, host) })
	if !named || port != "443" && port != "80" {
		return nil, fmt.Errorf("%w: %s", errOtherHost, address)
	}
	return e.options.Web.Dial(ctx, network, address)
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
		if wish, found := strings.CutPrefix(line, leftOutPrefix); found {
			what, why, _ := strings.Cut(wish, ": ")
			b.left = append(b.left, engine.LeftOut{What: what, Why: why})
		} else {
			b.tell(b.now)
		}
		b.mu.Unlock()
	}
	return lines.Err()
}
