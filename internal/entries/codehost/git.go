package codehost

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
)

// PublicBitbucket is Bitbucket Cloud, whose API answers strangers 60 times an hour, so its repositories are read with git.
const PublicBitbucket = "https://bitbucket.org"

// gitLimit is how many times an hour hosts without an API are asked; it's a guess.
const gitLimit = 900

// gitService is what a Counter calls all hosts without an API.
const gitService = "git"

// GitOptions configure a Git.
type GitOptions struct {
	Name     string // what people call the host; "": the host of each address
	URL      string // where its repositories are; "": at https on the host of each address
	FilesURL string // where its pages of files are, below the address of a repository, before the name of the branch; "": it has none
	PerHour  int    // questions to all hosts, of which one person may ask a third; 0: gitLimit
	Clones   *Clones
	Account  string           // who alone is shown what is read; "": everybody
	Login    *gitclient.Login // with which the host is asked; nil: as anybody
	Git      gitclient.Options
	Now      func() time.Time
	Logger   *slog.Logger
	Counter  Counter // optional; nil disables metrics
}

// Git is a Host of repositories that are read with git alone, from a shallow clone of a branch.
type Git struct {
	reader

	options GitOptions
	budget  *budget
}

// NewGit returns a Host.
func NewGit(options GitOptions) *Git {
	git := &Git{options: options, budget: newBudget(cmp.Or(options.PerHour, gitLimit))}
	git.budget.guessed = true
	git.reader = reader{git}
	return git
}

// Services are the names of the services that a Counter is told about.
func (g *Git) Services() []string { return []string{gitService} }

// name implements service.
func (g *Git) name(repository Repository) string {
	if g.options.Name != "" {
		return g.options.Name
	}
	return repository.Host
}

// addresses are those at which a repository may be cloned: most servers take both, some one.
func (g *Git) addresses(repository Repository) []string {
	address := repository.Address()
	if g.options.URL != "" {
		address = g.options.URL + escaped(strings.Split(repository.String(), "/")...)
	}
	return []string{address, address + ".git"}
}

// cloneName is the name of a repository's folder among the clones. Those for one account are never those for another, or for everybody.
func (g *Git) cloneName(repository Repository) string {
	name := repository.Host + "/" + repository.String()
	if g.options.Account != "" {
		name = "as " + g.options.Account + " " + name
	}
	return folderName(name)
}

// source is what git reads at an address.
func (g *Git) source(address string) gitclient.Source {
	return gitclient.Source{Address: address, Login: g.options.Login}
}

// about implements service. Git knows only the names of branches and tags.
func (g *Git) about(ctx context.Context, repository Repository, maxAge time.Duration) (project, error) {
	refs, err := g.options.Clones.refs(ctx, g, repository, maxAge)
	if err != nil {
		return project{}, g.explain(ctx, repository, err)
	}
	known := project{Age: refs.Age, About: About{Repository: repository, Branch: refs.head, Private: g.options.Account != ""}}
	if refs.address != g.addresses(repository)[0] {
		known.Address = refs.address
	}
	return known, nil
}

// explain returns the fault for what went wrong with a repository.
func (g *Git) explain(ctx context.Context, repository Repository, err error) error {
	switch {
	case errors.Is(err, errNothing), errors.Is(err, gitclient.ErrHidden):
		if g.options.Account != "" {
			return fault.New(fault.NotFound, "%s has no repository %s that you can read there.", g.name(repository), repository)
		}
		return fault.New(fault.NotFound, "%s has no public repository %s.", g.name(repository), repository)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		late := fault.New(fault.CodehostUnavailable, "%s takes too long to answer. The repository may be large: try again in a minute.", g.name(repository))
		late.RetryAfter = busyTime
		return late
	case g.options.Git.Check() != nil:
	case errors.Is(err, errOffline):
		return err
	case fault.KindOf(err) == fault.Unavailable && fault.CodeOf(err) != fault.CodehostLimited:
		g.options.Logger.WarnContext(ctx, "a repository can't be read with git", "host", repository.Host, "error", err)
		failed := fault.Wrap(err, fault.CodehostUnavailable, "The repository can't be read at %s right now. It may be back in a while.", g.name(repository))
		if errors.Is(err, gitclient.ErrUnreachable) {
			failed = unreachable(err, g.name(repository))
		}
		failed.RetryAfter = busyTime
		return failed
	}
	return err
}

// tip implements service.
func (g *Git) tip(ctx context.Context, of project, branch string, _ time.Duration) (commit string, isBranch bool, err error) {
	refs, err := g.options.Clones.refs(ctx, g, of.Repository, fresh) // those that about has just asked for
	return refs.branches[branch], refs.branches[branch] != "", err
}

// hasTag implements service.
func (g *Git) hasTag(ctx context.Context, of project, name string) (bool, error) {
	refs, err := g.options.Clones.refs(ctx, g, of.Repository, fresh)
	return refs.tags[name] != "", err
}

// refs implements service.
func (g *Git) refs(ctx context.Context, of project) ([]string, error) {
	refs, err := g.options.Clones.refs(ctx, g, of.Repository, fresh)
	return append(someOf(refs.branches), someOf(refs.tags)...), err
}

// editPage implements service. Of the hosts that are read with git alone, Bitbucket has such pages.
func (g *Git) editPage(of Repository, branch, file string, isNew bool) string {
	pages := g.filesURL(of, branch)
	if pages == "" || isNew {
		return ""
	}
	return pages + strings.TrimPrefix(escaped(strings.Split(file, "/")...), "/") + "?mode=edit"
}

// keepsLFS implements service.
func (g *Git) keepsLFS() bool { return false }

// filesURL implements service.
func (g *Git) filesURL(of Repository, branch string) string {
	if g.options.FilesURL == "" {
		return ""
	}
	return g.addresses(of)[0] + g.options.FilesURL + escaped(strings.Split(branch, "/")...) + "/"
}

// stored implements service. Git doesn't send what Git LFS keeps.
func (g *Git) stored(_ context.Context, of project, _, _ string, _ int64) (answer, error) {
	return answer{}, nothing(g.name(of.Repository))
}

// languages implements service, by the ends of the files' names.
func (g *Git) languages(ctx context.Context, of project) ([]Language, error) {
	branch, err := g.branch(ctx, of)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	err = g.options.Clones.read(ctx, g, of.Repository, branch, false, func(in *clone) error {
		entries, err := in.list(ctx, "-r", in.commit)
		if err != nil {
			return err
		}
		for _, one := range entries {
			if language := bundledLanguages[strings.ToLower(path.Ext(one.Path))]; language != "" && one.kind() == TypeFile {
				sizes[language] += max(0, one.Size)
			}
		}
		return nil
	})
	if err != nil {
		return nil, g.explain(ctx, of.Repository, err)
	}
	return languagesOf(sizes), nil
}

// tree implements service.
func (g *Git) tree(of project, branch string, maxAge time.Duration) tree {
	return gitClone{g, of, branch, maxAge == 0}
}

// gitClone is a branch in a clone.
type gitClone struct {
	*Git

	of        project
	branch    string
	mustBeNew bool
}

// read has something read from the clone, once it is as new as what about has said.
func (t gitClone) read(ctx context.Context, path string, what func(in *clone, at treeEntry) error) error {
	err := t.options.Clones.read(ctx, t.Git, t.of.Repository, t.branch, t.mustBeNew, func(in *clone) error {
		at := treeEntry{Type: "tree", SHA: in.commit}
		if path != "" {
			found, err := in.list(ctx, in.commit, "--", path)
			if err != nil {
				return err
			}
			if len(found) != 1 || found[0].Path != path {
				return errNothing
			}
			at = found[0]
		}
		return what(in, at)
	})
	if errors.Is(err, errNothing) {
		return nothing(t.name(t.of.Repository))
	}
	if err != nil {
		return t.explain(ctx, t.of.Repository, err)
	}
	return nil
}

// folder implements tree.
func (t gitClone) folder(ctx context.Context, path string) (listing Listing, target string, err error) {
	listing = Listing{Age: t.of.Age, Entries: []Entry{}}
	err = t.read(ctx, path, func(in *clone, at treeEntry) error {
		listing.Stale = listing.Stale || in.stale
		switch at.kind() {
		case typeLink:
			content, err := in.content(ctx, at, linkBytes)
			if err != nil {
				return err
			}
			var ok bool
			if target, ok = targetOf(path, content); !ok {
				return notAFolder(path, t.branch, t.of)
			}
			return nil
		case TypeFolder:
		default:
			return notAFolder(path, t.branch, t.of)
		}
		entries, err := in.list(ctx, at.SHA)
		if err != nil {
			return orTooMany(err, path)
		}
		for _, one := range entries {
			listing.add(path, one.kind(), one.Path, one.Size, one.SHA)
		}
		return nil
	})
	return listing, target, err
}

// content implements tree.
func (t gitClone) content(ctx context.Context, path string, maxBytes int64) (answer, error) {
	found := answer{Age: t.of.Age}
	err := t.read(ctx, path, func(in *clone, at treeEntry) (err error) {
		found.Stale = found.Stale || in.stale
		if at.Type != "blob" {
			return errNothing
		}
		found.body, err = in.content(ctx, at, maxBytes)
		return err
	})
	return found, err
}
