package localjupyter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// mirror is a bare copy of a repository that all sessions clone from. It belongs to an account that no session has and
// that only runs git. While the repository's host doesn't answer, sessions get the copy as it is. One that can't be
// updated for another reason is copied again, and is deleted when the new one is complete.
const (
	mirrorName   = "mirror.git"
	mirrorBranch = "cairn-head" // the output of git ls-remote about the default branch
)

// The arguments are data to both scripts. A file beyond the limit should be an error that git reports, not git's silent
// death.
const (
	copyScript  = `trap "" XFSZ; exec "$0" -c core.hooksPath=/dev/null clone --bare --progress -- "$1" "$2"`
	bringScript = `trap "" XFSZ; "$0" -C "$2" -c core.hooksPath=/dev/null -c gc.auto=0 fetch --prune --no-write-fetch-head --progress -- "$1" ` +
		`"+refs/heads/*:refs/heads/*" "+refs/tags/*:refs/tags/*" && exec "$0" ls-remote --symref -- "$1" HEAD >"$2/` + mirrorBranch + `"`
)

// source is the repository that a session clones from.
type source struct {
	path string
	note string // a note for its user; or empty
	done func() // call it after the clone: until then the source isn't removed
}

var errAbsent = errors.New("there is no copy yet")

var errNoElsewhere = diagnosis.With(fault.New(fault.Unavailable, "This server doesn't copy repositories from elsewhere."), diagnosis.ServerFault)

// asOf says when a mirror was last updated, and ends the sentence.
func asOf(mirror string) string {
	about, err := os.Stat(filepath.Join(mirror, mirrorBranch))
	if err != nil {
		return "."
	}
	return ", as of " + about.ModTime().UTC().Format("2006-01-02 15:04") + " UTC."
}

// mirror returns the copy of the repository, updated if its host answers.
func (s *session) mirror(ctx context.Context, address string, tell func(string)) (source, error) {
	cache, key := s.engine.caches[repositoriesCache], keyOf(address)
	tell, hear := cache.share(key, tell)
	unlock, err := cache.lock(ctx, key, hear)
	if err != nil {
		return source{}, err
	}
	defer unlock()
	s.use(key)
	found := source{path: filepath.Join(cache.path(key), mirrorName)}
	err = errAbsent
	if cache.has(key) {
		err = s.refresh(ctx, address, key, tell)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return source{}, context.Cause(ctx)
	case errors.Is(err, errNoAnswer):
		found.note = "The repository's host doesn't answer, so this server's own copy is used" + asOf(found.path)
		s.appendLog(found.note)
	default:
		if !errors.Is(err, errAbsent) {
			s.appendLog("The kept copy of the repository can't be updated. The repository is copied again.")
		}
		if err := s.copyMirror(ctx, address, key, tell); err != nil {
			return source{}, err
		}
	}
	if err := cache.keep(key); err != nil {
		return source{}, err
	}
	found.done = cache.read(key)
	return found, nil
}

// copyMirror copies the repository beside the existing copy, and then replaces that.
func (s *session) copyMirror(ctx context.Context, address, key string, tell func(string)) error {
	cache := s.engine.caches[repositoriesCache]
	root, err := cache.fresh(key+nextSuffix, s.engine.keeper)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := s.runGit(ctx, s.mirrorBox(copyScript, address, key+nextSuffix), tell); err != nil {
		return err
	}
	noted, err := root.OpenFile(path.Join(mirrorName, mirrorBranch), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // its time is when it was updated
	if err != nil {
		return err
	}
	return errors.Join(noted.Close(), cache.replace(ctx, key))
}

func (s *session) mirrorBox(script, address, key string) sandbox.Box {
	folder := s.engine.caches[repositoriesCache].path(key)
	mounts := []sandbox.Mount{{From: folder, To: "/session/cache", Writable: true}, {From: s.engine.gitConfig(), To: "/session/gitconfig"}}
	if s.engine.sandbox.Level().Mounts() {
		folder = "/session/cache"
	}
	return sandbox.Box{
		Account: s.engine.keeper, Network: sandbox.All, Mounts: mounts, Folder: folder,
		Command: []string{s.engine.sandbox.Shell(), "-c", script, s.engine.options.Git, address, path.Join(folder, mirrorName)},
	}
}

var branchLine = regexp.MustCompile(`(?m)^ref: (refs/heads/[^\s]{1,200})\tHEAD$`)

// refresh updates the mirror, including its default branch.
func (s *session) refresh(ctx context.Context, address, key string, tell func(string)) error {
	root, err := s.engine.caches[repositoriesCache].open(key)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := ownTree(ctx, root, ".", s.engine.keeper); err != nil { // it was another one before
		return err
	}
	bringing := s.mirrorBox(bringScript, address, key)
	bringing.Environment = []string{ // a silent host is given up in time to begin with the copy
		"GIT_HTTP_LOW_SPEED_LIMIT=1", fmt.Sprintf("GIT_HTTP_LOW_SPEED_TIME=%d", max(1, int(s.engine.options.LaunchDeadline.Seconds()/3))),
	}
	if _, err := s.runGit(ctx, bringing, tell); err != nil {
		return err
	}
	said, err := root.ReadFile(path.Join(mirrorName, mirrorBranch))
	if err != nil {
		return err
	}
	found := branchLine.FindSubmatch(said)
	if found == nil || strings.Contains(string(found[1]), "..") {
		return nil // an empty repository has no branch
	}
	return root.WriteFile(path.Join(mirrorName, "HEAD"), []byte("ref: "+string(found[1])+"\n"), 0o644)
}

// source is what git will use: a path on this machine.
func (s *session) source(ctx context.Context, root *os.Root, repository engine.Repository, tell func(string)) (source, error) {
	if repository.LocalPath != "" && s.engine.sandbox.Level() == sandbox.LevelC {
		return s.copySource(ctx, root, repository.LocalPath)
	}
	if repository.LocalPath != "" {
		return source{path: repository.LocalPath, done: func() {}}, nil
	}
	if s.engine.options.Web == nil {
		return source{}, errNoElsewhere
	}
	return s.mirror(ctx, repository.URL, tell)
}

// copySource copies a repository of this server to where the session's account can read it.
func (s *session) copySource(ctx context.Context, root *os.Root, from string) (source, error) {
	if err := errors.Join(removeTree(root, sourceName), copyTree(ctx, from, root, sourceName), root.Chmod(sourceName, 0o755)); err != nil {
		return source{}, err
	}
	return source{path: filepath.Join(s.folder, sourceName), done: func() { _ = removeTree(root, sourceName) }}, nil
}
