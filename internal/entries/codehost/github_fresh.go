package codehost

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
)

// Fresh implements Host. Without a token the host shows nothing private, so the API is needed only for the name of an
// unusual default branch; with one, it is asked first whether the repository is public.
func (g *GitHub) Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error) {
	if strings.Contains(repository.Owner, "/") {
		_, err := g.about(ctx, repository, 0)
		return File{}, err
	}
	name := escaped(repository.Owner, repository.Name)[1:]
	if g.token {
		known, err := g.about(ctx, repository, 0)
		if err != nil {
			return File{}, err
		}
		name = known.path()
	}
	for _, branch := range usualBranches {
		if found, err := g.firstOf(ctx, name, branch, paths, maxBytes); err != nil || found.Path != "" {
			return found, err
		}
	}
	known, err := g.about(ctx, repository, 0)
	if err != nil {
		return File{}, err
	}
	if !slices.Contains(usualBranches, known.DefaultBranch) {
		if found, err := g.firstOf(ctx, known.path(), known.DefaultBranch, paths, maxBytes); err != nil || found.Path != "" {
			return found, err
		}
	}
	return File{}, noneOf(paths, known.FullName)
}

func noneOf(paths []string, repository string) error {
	return fault.New(fault.NotFound, "%s has no file %s on main, master or its default branch.", repository, strings.Join(paths, " or "))
}

// firstOf returns the first of the files that exists on a branch, or a file without a path.
func (g *GitHub) firstOf(ctx context.Context, repository, branch string, paths []string, maxBytes int64) (File, error) {
	for _, path := range paths {
		// The query makes it a different address for caches on the way.
		found, err := g.raw.send(ctx, g.raw.base+rawPath(repository, branch, path)+"?fresh="+rand.Text(), maxBytes, "")
		if err != nil {
			return File{}, err
		}
		answered, err := g.raw.read(found, maxBytes, false)
		if err == nil {
			return File{Age: answered.Age, Branch: branch, Path: path, Content: answered.body}, nil
		}
		if fault.KindOf(err) != fault.NotFound || errors.Is(err, errLegal) {
			return File{}, err
		}
	}
	return File{}, nil
}
