package localjupyter

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// mirror is a bare copy of a repository that all sessions clone from. It belongs to an account that no session has, and
// git is all that ever runs as it. What cannot be brought up to date is copied anew.
const (
	mirrorName   = "mirror.git"
	mirrorBranch = "cairn-head" // what git ls-remote says of the default branch
)

// The arguments are data to both scripts. Sessions of other accounts read what they write. A file beyond the limit is to
// be an error that git tells, not its silent death.
const (
	copyScript  = `umask 022; trap "" XFSZ; exec "$0" -c core.hooksPath=/dev/null clone --bare --progress -- "$1" "$2"`
	bringScript = `umask 022; trap "" XFSZ; "$0" -C "$2" -c core.hooksPath=/dev/null -c gc.auto=0 fetch --prune --no-write-fetch-head --progress -- "$1" ` +
		`"+refs/heads/*:refs/heads/*" "+refs/tags/*:refs/tags/*" && exec "$0" ls-remote --symref -- "$1" HEAD >"$2/` + mirrorBranch + `"`
)

// mirror gives the path of an up-to-date copy of the repository.
func (s *session) mirror(ctx context.Context, address string, tell func(string)) (string, error) {
	shelf, key := s.engine.caches[repositoriesCache], keyOf(address)
	tell, hear := shelf.share(key, tell)
	unlock, err := shelf.lock(ctx, key, hear)
	if err != nil {
		return "", err
	}
	defer unlock()
	place := filepath.Join(shelf.path(key), mirrorName)
	s.use(key)
	if shelf.has(key) {
		if err := s.refresh(ctx, address, key, tell); err == nil {
			return place, shelf.keep(key)
		} else if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		s.appendLog("The kept copy of the repository cannot be brought up to date. It is copied anew.")
	}
	root, err := shelf.fresh(key, s.engine.keeper)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := s.runGit(ctx, s.mirrorBox(copyScript, address, key), tell); err != nil {
		return "", err
	}
	return place, shelf.keep(key)
}

func (s *session) mirrorBox(script, address, key string) box {
	place := s.engine.caches[repositoriesCache].path(key)
	mounts := []mount{{from: place, to: "/session/cache", writable: true}, {from: s.engine.gitConfig(), to: "/session/gitconfig"}}
	if s.engine.isolation.Level.bubblewrap() {
		place = "/session/cache"
	}
	return box{
		userID: s.engine.keeper, network: true, mounts: mounts, folder: place,
		command: []string{s.engine.options.Shell, "-c", script, s.engine.options.Git, address, path.Join(place, mirrorName)},
	}
}

var branchLine = regexp.MustCompile(`(?m)^ref: (refs/heads/[^\s]{1,200})\tHEAD$`)

// refresh brings the mirror up to date, its default branch too.
func (s *session) refresh(ctx context.Context, address, key string, tell func(string)) error {
	root, err := s.engine.caches[repositoriesCache].open(key)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := ownTree(root, ".", s.engine.keeper); err != nil { // it was another one in an earlier life
		return err
	}
	if err := s.runGit(ctx, s.mirrorBox(bringScript, address, key), tell); err != nil {
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

// reachable is the repository as git will be given it: on this machine.
func (s *session) reachable(ctx context.Context, repository engine.Repository, tell func(string)) (engine.Repository, error) {
	if repository.LocalPath != "" {
		return repository, nil
	}
	if s.engine.options.Web == nil {
		return repository, fault.New(fault.Unavailable, "This server copies no repositories from elsewhere.")
	}
	var err error
	repository.LocalPath, err = s.mirror(ctx, repository.URL, tell)
	return repository, err
}
