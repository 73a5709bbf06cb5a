package codehost

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitlfs"
)

// service is what differs between the kinds of hosts. Errors are as in Host.
type service interface {
	// about asks about a repository: an answer of at most maxAge, and with 0 none from a cache, ours or on the way. NotFound if it isn't
	// public, whatever a token of this server may read.
	about(ctx context.Context, repository Repository, maxAge time.Duration) (project, error)
	// tip returns what the host calls the commit of a branch, if there is a branch of this name.
	tip(ctx context.Context, of project, branch string, maxAge time.Duration) (commit string, isBranch bool, err error)
	hasTag(ctx context.Context, of project, name string) (bool, error)
	// refs returns at most 100 branches and 100 tags.
	refs(ctx context.Context, of project) ([]string, error)
	// tree returns a branch that exists.
	tree(of project, branch string, maxAge time.Duration) tree
	// keepsLFS reports whether the host may send files that Git LFS keeps.
	keepsLFS() bool
	// stored returns the content that a pointer of Git LFS stands for. NotFound if the host doesn't send it.
	stored(ctx context.Context, of project, branch, path string, maxBytes int64) (answer, error)
	languages(ctx context.Context, of project) ([]Language, error)
	name(repository Repository) string
	filesURL(repository Repository, branch string) string
	editPage(repository Repository, branch, file string, isNew bool) string
}

// project is what a service knows about a repository.
type project struct {
	Age
	About

	path string // of its calls, escaped
}

// usualBranches are tried before the default branch, in this order.
var usualBranches = []string{"main", "master"}

// branches returns the names that the branch may have which is shown, in the order in which they are tried.
func (p project) branches() []string {
	if p.Branch == "" || slices.Contains(usualBranches, p.Branch) {
		return usualBranches
	}
	return append(slices.Clone(usualBranches), p.Branch)
}

// reader is a Host that reads repositories through a service.
type reader struct{ service service }

// About implements Host.
func (h reader) About(ctx context.Context, repository Repository) (About, error) {
	known, err := h.service.about(ctx, repository, fresh)
	return known.About, err
}

// Name implements Host.
func (h reader) Name(repository Repository) string { return h.service.name(repository) }

// EditPage implements Host.
func (h reader) EditPage(repository Repository, branch, file string, isNew bool) string {
	return h.service.editPage(repository, branch, file, isNew)
}

// Languages implements Host.
func (h reader) Languages(ctx context.Context, repository Repository) ([]Language, error) {
	known, err := h.service.about(ctx, repository, fresh)
	if err != nil {
		return nil, err
	}
	return h.service.languages(ctx, known)
}

// HasRef implements Host.
func (h reader) HasRef(ctx context.Context, repository Repository, ref string) (there bool, names []string, err error) {
	known, err := h.service.about(ctx, repository, fresh)
	if err != nil {
		return false, nil, err
	}
	if _, there, err := h.service.tip(ctx, known, ref, fresh); there || err != nil {
		return there, nil, err
	}
	if there, err := h.service.hasTag(ctx, known, ref); there || err != nil {
		return there, nil, err
	}
	names, err = h.service.refs(ctx, known)
	return false, names, err
}

// Commit implements Host.
func (h reader) Commit(ctx context.Context, repository Repository, branch string) (string, error) {
	known, err := h.service.about(ctx, repository, 0)
	if err != nil {
		return "", err
	}
	branches := []string{branch}
	if branch == "" {
		branches = known.branches()
	}
	for _, name := range branches {
		if commit, there, err := h.service.tip(ctx, known, name, 0); there || err != nil {
			return h.checked(known.Repository, commit, err)
		}
	}
	return "", fault.New(fault.NotFound, "%s has no branch %s.", known.Repository, strings.Join(branches, " or "))
}

// checked returns a commit that a host has named, if it looks like one.
func (h reader) checked(of Repository, commit string, err error) (string, error) {
	if err == nil && !objectPattern.MatchString(commit) {
		return "", fault.New(fault.BadUpstream, "%s sent an answer that can't be read.", h.service.name(of))
	}
	return commit, err
}

// branch returns the first of main and master that exists, or the default branch.
func (h reader) branch(ctx context.Context, known project) (string, error) {
	for _, name := range usualBranches {
		if known.Branch == name {
			return name, nil
		}
		if _, there, err := h.service.tip(ctx, known, name, fresh); there || err != nil {
			return name, err
		}
	}
	if known.Branch == "" {
		return "", fault.New(fault.NotFound, "The repository %s is empty.", known.Repository)
	}
	return known.Branch, nil
}

// List implements Host.
func (h reader) List(ctx context.Context, repository Repository, path string) (Listing, error) {
	path, err := cleanPath(path)
	if err != nil {
		return Listing{}, err
	}
	known, err := h.service.about(ctx, repository, fresh)
	if err != nil {
		return Listing{}, err
	}
	branch, err := h.branch(ctx, known)
	if err != nil {
		return Listing{}, err
	}
	tree := h.service.tree(known, branch, fresh)
	listing, err := openFolder(ctx, tree, path)
	if err != nil {
		return Listing{}, orAbsent(err, fault.New(fault.NotFound, "There is no folder %q on the branch %s of %s.", "/"+listing.Path, branch, known.Repository))
	}
	follow := &links{tree: tree, folders: map[string][]Entry{listing.Path: listing.Entries}}
	follow.followAll(ctx, listing.Entries)
	listing.sort()
	listing.Branch, listing.Host = branch, h.service.name(known.Repository)
	listing.FilesURL, listing.Measures = h.service.filesURL(known.Repository, branch), known.Measures
	listing.Age = older(listing.Age, known.Age)
	return listing, nil
}

// File implements Host.
func (h reader) File(ctx context.Context, repository Repository, path string, maxBytes int64) (File, error) {
	path, err := cleanPath(path)
	if err != nil {
		return File{}, err
	}
	known, err := h.service.about(ctx, repository, fresh)
	if err != nil {
		return File{}, err
	}
	branch, err := h.branch(ctx, known)
	if err != nil {
		return File{}, err
	}
	tree := h.service.tree(known, branch, fresh)
	answered, err := tree.content(ctx, path, maxBytes)
	if err != nil {
		return File{}, orAbsent(err, fault.New(fault.NotFound, "There is no file %q on the branch %s of %s.", path, branch, known.Repository))
	}
	follow := &links{tree: tree, folders: map[string][]Entry{}}
	at, err := follow.behind(ctx, path, answered.body)
	if err != nil {
		return File{}, err
	}
	if at != path {
		path = at
		if answered, err = tree.content(ctx, path, maxBytes); err != nil {
			return File{}, err
		}
	}
	if pointer, ok := gitlfs.ParsePointer(answered.body); ok && h.service.keepsLFS() {
		if pointer.Size > maxBytes {
			return File{}, tooLarge(maxBytes)
		}
		switch stored, err := h.service.stored(ctx, known, branch, path, maxBytes); {
		case err == nil && !gitlfs.IsPointer(stored.body):
			answered.body = stored.body
		case err != nil && fault.KindOf(err) != fault.NotFound && !errors.Is(err, errElsewhere): // such as in storage of objects
			return File{}, err
		}
	}
	return File{
		Age: older(answered.Age, known.Age), Branch: branch, Path: path, Content: answered.body, FilesURL: h.service.filesURL(known.Repository, branch),
	}, nil
}

// Fresh implements Host.
func (h reader) Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error) {
	known, err := h.service.about(ctx, repository, 0)
	if err != nil {
		return File{}, err
	}
	for _, branch := range known.branches() {
		if branch != known.Branch {
			_, there, err := h.service.tip(ctx, known, branch, 0)
			if err != nil {
				return File{}, err
			}
			if !there {
				continue
			}
		}
		found, err := firstOf(ctx, h.service.tree(known, branch, 0), paths, maxBytes)
		if err != nil || found.Path != "" {
			found.Branch = branch
			return found, err
		}
	}
	return File{}, noneOf(paths, known.Repository.String())
}

// firstOf returns the first of the files that exists in a tree, or a file without a path.
func firstOf(ctx context.Context, in tree, paths []string, maxBytes int64) (File, error) {
	for _, path := range paths {
		answered, err := in.content(ctx, path, maxBytes)
		if err == nil {
			return File{Age: answered.Age, Path: path, Content: answered.body}, nil
		}
		if fault.KindOf(err) != fault.NotFound || errors.Is(err, errLegal) {
			return File{}, err
		}
	}
	return File{}, nil
}

func noneOf(paths []string, repository string) error {
	return fault.New(fault.NotFound, "%s has no file %s on main, master or its default branch.", repository, strings.Join(paths, " or "))
}

// older combines the ages of two answers that form one.
func older(one, other Age) Age {
	if other.AsOf.Before(one.AsOf) {
		one.AsOf = other.AsOf
	}
	one.Stale = one.Stale || other.Stale
	return one
}
