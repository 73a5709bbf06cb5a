package sessions

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/opening"
	"cairn/internal/sessions/engine/requirements"
)

// notebookLimit is the most bytes of a notebook that is read before a session has it.
const notebookLimit = 16 << 20

// Notebook returns the notebook that a session of an entry or a project would open, or of its file, as its source had it a few minutes
// ago, and its path in the repository, or its name if it's in none. Content is nil if that can't be known before the session runs.
// NotFound if the caller doesn't see the entry or there is no such file, NotRunnable if the session opens no notebook.
func (r *Resolver) Notebook(ctx context.Context, asked StartRequest, descriptors []string) (file string, content []byte, err error) {
	made := Session{}
	if made.Source.File, err = checkFile(asked.File); err != nil {
		return "", nil, err
	}
	if asked.ProjectID != "" {
		err = r.addProject(ctx, &made, asked.ProjectID)
	} else {
		_, err = r.addEntry(ctx, &made, asked)
	}
	if err != nil {
		return "", nil, err
	}
	address := made.Project.Repository.Address
	if address == "" {
		spec, err := r.Spec(ctx, made, nil)
		return spec.Notebook.Name, spec.Notebook.Content, err
	}
	repository, err := codehost.Parse(address)
	if err != nil || r.Hosts == nil || !r.Hosts.Knows(repository) || asked.Ref != "" || made.Source.Ref != "" {
		return made.Source.File, nil, nil //nolint:nilerr // the launch finds out
	}
	if caller, ok := identity.From(ctx); ok && made.Project.Repository.Private {
		ctx = codehost.ReadAs(ctx, caller.AccountID)
	}
	if file = made.Source.File; file == "" {
		if file, err = r.opens(ctx, repository, descriptors); err != nil {
			return "", nil, err
		}
	}
	if path.Ext(file) != ".ipynb" {
		return file, nil, fault.New(fault.NotRunnable, "Only notebooks can be executed, and %s isn't one. Name a notebook of the repository.", fault.Quote(file))
	}
	found, err := r.Hosts.File(ctx, repository, file, notebookLimit)
	return file, found.Content, err
}

// opens returns the file that a session of a repository opens, as opening.Choose decides.
func (r *Resolver) opens(ctx context.Context, repository codehost.Repository, descriptors []string) (string, error) {
	const folder = "repository"
	files := fstest.MapFS{}
	list := func(name string) error {
		listing, err := r.Hosts.List(ctx, repository, strings.TrimPrefix(name, "."))
		for _, one := range listing.Entries {
			if one.Type == codehost.TypeFile {
				files[path.Join(folder, one.Path)] = &fstest.MapFile{}
			}
		}
		return err
	}
	if err := list("."); err != nil {
		return "", err
	}
	declared := requirements.Open(r.reader(ctx, repository), descriptors)
	if parent := path.Dir(path.Clean(declared)); declared != "" && parent != "." && fs.ValidPath(parent) {
		_ = list(parent) // if there is none, another file opens
	}
	file, _ := opening.Choose(files, engine.Spec{Repository: engine.Repository{Folder: folder}}, declared)
	return strings.TrimPrefix(file, folder+"/"), nil
}
