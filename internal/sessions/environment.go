package sessions

import (
	"context"
	"path"
	"strings"

	"cairn/internal/catalog"
	"cairn/internal/codehost"
	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// Environment reports what a session of an entry would install and leave out of what its repository declares at the
// default branch; nothing for entries without a repository at a known host, and while that can't be read: it is a help,
// and a start says it too. NotFound if the caller doesn't see the entry.
func (s *Service) Environment(ctx context.Context, entryID string) (engine.Environment, error) {
	nothing := engine.Environment{Files: []string{}, Packages: []string{}, LeftOut: []engine.LeftOut{}}
	entry, err := s.Resolver.Entries.Get(ctx, entryID)
	if err != nil || s.Resolver.Hosts == nil || len(s.Engines.All) == 0 {
		return nothing, err
	}
	repository, err := codehost.Parse(entry.RepositoryURL)
	known := entry.Type == catalog.Repository && err == nil
	if entry.Type == catalog.Notebook {
		repository, _, known = codehost.ParseFile(entry.NotebookPath)
	}
	planner, ok := s.Engines.All[0].Engine.(engine.Foreseer)
	if !ok || !known || !s.Resolver.Hosts.Knows(repository) {
		return nothing, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	planned, err := planner.Foresee(s.Resolver.reader(ctx, repository))
	if err != nil {
		s.Logger.DebugContext(ctx, "what a repository declares cannot be read", "repository", repository.String(), "error", err)
		return nothing, nil
	}
	return planned, nil
}

// declaredLimit is the maximum length of a file that declares what a repository needs, in bytes.
const declaredLimit = 256 << 10

// reader returns a function that reads the files of a repository. It asks only for files that are in the list of their
// folder: most of those that are looked for aren't there.
func (r *Resolver) reader(ctx context.Context, repository codehost.Repository) func(name string) (string, error) {
	folders := map[string]map[string]bool{}
	var list func(folder string) (map[string]bool, error)
	list = func(folder string) (map[string]bool, error) {
		if names, listed := folders[folder]; listed {
			return names, nil
		}
		if folder != "." {
			if above, err := list(path.Dir(folder)); err != nil || !above[path.Base(folder)] {
				return nil, err
			}
		}
		listing, err := r.Hosts.List(ctx, repository, strings.TrimPrefix(folder, "."))
		if err != nil {
			return nil, err
		}
		names := make(map[string]bool, len(listing.Entries))
		for _, one := range listing.Entries {
			names[one.Name] = true
		}
		folders[folder] = names
		return names, nil
	}
	return func(name string) (string, error) {
		names, err := list(path.Dir(name))
		if err != nil || !names[path.Base(name)] {
			return "", err
		}
		file, err := r.Hosts.File(ctx, repository, name, declaredLimit)
		if fault.KindOf(err) == fault.NotFound {
			return "", nil // a folder of that name
		}
		return string(file.Content), err
	}
}
