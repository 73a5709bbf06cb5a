package codehost

import (
	"context"
	"slices"
	"strings"
)

// Fresh implements Host. Without a token the host shows nothing private, so the API is needed only for the name of an
// unusual default branch; with one, it is asked first whether the repository is public.
func (g *GitHub) Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error) {
	if g.api.account != "" {
		return g.reader.Fresh(ctx, repository, paths, maxBytes)
	}
	if strings.Contains(repository.Owner, "/") {
		_, err := g.about(ctx, repository, 0)
		return File{}, err
	}
	if g.token {
		known, err := g.about(ctx, repository, 0)
		if err != nil {
			return File{}, err
		}
		repository = known.Repository
	}
	for _, branch := range usualBranches {
		if found, err := g.firstOf(ctx, repository, branch, paths, maxBytes); err != nil || found.Path != "" {
			return found, err
		}
	}
	known, err := g.about(ctx, repository, 0)
	if err != nil {
		return File{}, err
	}
	if !slices.Contains(usualBranches, known.Branch) {
		if found, err := g.firstOf(ctx, known.Repository, known.Branch, paths, maxBytes); err != nil || found.Path != "" {
			return found, err
		}
	}
	return File{}, noneOf(paths, known.Repository.String())
}

// Commit implements Host. Without a token the host shows nothing private, so it is asked about nothing but the branch, and about the
// repository if it has no such branch.
func (g *GitHub) Commit(ctx context.Context, repository Repository, branch string) (string, error) {
	if branch != "" && g.api.account == "" && !g.token && !strings.Contains(repository.Owner, "/") {
		of := project{path: "/repos" + escaped(repository.Owner, repository.Name)}
		if commit, there, err := g.tip(ctx, of, branch, 0); there || err != nil {
			return g.checked(repository, commit, err)
		}
	}
	return g.reader.Commit(ctx, repository, branch)
}

// firstOf returns the first of the files that exists on a branch, or a file without a path.
func (g *GitHub) firstOf(ctx context.Context, repository Repository, branch string, paths []string, maxBytes int64) (File, error) {
	found, err := firstOf(ctx, g.tree(project{About: About{Repository: repository}}, branch, 0), paths, maxBytes)
	found.Branch = branch
	return found, err
}
