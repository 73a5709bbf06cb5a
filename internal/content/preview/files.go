package preview

import (
	"cmp"
	"context"

	"cairn/internal/content/cite"
	"cairn/internal/content/notebook"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/plaintext"
	"cairn/internal/people/identity"
)

// previewBytes is the maximum size of a text shown in the page.
const previewBytes = 1 << 20

// Files shows the files in repositories of entries, and how entries are cited.
type Files struct {
	entries     Entries
	hosts       *codehost.Hosts
	highlighter *notebook.Highlighter
	catalog     cite.Catalog
}

// NewFiles returns a Files for repositories on these hosts, and for entries that this catalog publishes.
func NewFiles(entries Entries, hosts *codehost.Hosts, highlighter *notebook.Highlighter, publisher cite.Catalog) *Files {
	return &Files{entries, hosts, highlighter, publisher}
}

// repository returns the repository of an entry that the caller may see, and the context in which the caller reads it.
func (f *Files) repository(ctx context.Context, id string) (context.Context, codehost.Repository, error) {
	resource, err := f.entries.Readable(ctx, id)
	if err != nil {
		return ctx, codehost.Repository{}, err
	}
	repository, err := repositoryOf(resource, f.hosts)
	return asReader(ctx, resource), repository, err
}

// asReader returns the context in which the caller reads what belongs to an entry that they may see.
func asReader(ctx context.Context, of catalog.Entry) context.Context {
	if caller, ok := identity.From(ctx); ok && of.ForHost() {
		return codehost.ReadAs(ctx, caller.AccountID)
	}
	return ctx
}

func repositoryOf(resource catalog.Entry, hosts *codehost.Hosts) (codehost.Repository, error) {
	if resource.Type != catalog.Repository {
		return codehost.Repository{}, fault.New(fault.NotFound, "Only repositories have files.")
	}
	repository, err := codehost.Parse(resource.RepositoryURL)
	if err != nil || !hosts.Knows(repository) {
		return codehost.Repository{}, fault.New(fault.NotFound, "This server can't read repositories on %s.", cmp.Or(humanize.HostName(resource.RepositoryURL), "this kind"))
	}
	return repository, nil
}

// List lists a folder of an entry's repository; "" is the root.
func (f *Files) List(ctx context.Context, id, path string) (codehost.Listing, error) {
	ctx, repository, err := f.repository(ctx, id)
	if err != nil {
		return codehost.Listing{}, err
	}
	return f.hosts.List(ctx, repository, path)
}

// Text returns a text file of an entry's repository, in UTF-8 whatever it is stored in. TooLarge above 1 MiB, Invalid when it
// isn't text.
func (f *Files) Text(ctx context.Context, id, path string) (codehost.File, error) {
	ctx, repository, err := f.repository(ctx, id)
	if err != nil {
		return codehost.File{}, err
	}
	file, err := f.hosts.File(ctx, repository, path, previewBytes)
	if fault.KindOf(err) == fault.TooLarge {
		return file, fault.New(fault.TooLarge, "This file is too large to be shown here: the limit is 1 MiB.")
	}
	if err == nil {
		text, _, ok := plaintext.Decode(file.Content, true)
		if !ok {
			return file, fault.New(fault.Invalid, "This file isn't text, so it can't be shown here.")
		}
		file.Content = text
	}
	if err == nil && isReadme(path) && !codehost.IsPrivate(ctx) {
		f.entries.NoteContent(ctx, id, path, string(file.Content[:min(len(file.Content), proseLimit)]))
	}
	return file, err
}

// citationFile is where repositories say how to cite them (Citation File Format).
const citationFile = "CITATION.cff"

// Citation returns how to cite an entry: as its repository asks for, or from the entry itself if the repository doesn't say, its
// file is invalid, or its host doesn't answer.
func (f *Files) Citation(ctx context.Context, id string) (Cited, error) {
	resource, err := f.entries.Readable(ctx, id)
	if err != nil {
		return Cited{}, err
	}
	own := f.catalog.Item(resource)
	var file codehost.File
	repository, err := repositoryOf(resource, f.hosts)
	if err == nil {
		file, err = f.hosts.File(asReader(ctx, resource), repository, citationFile, citationBytes)
	}
	if err == nil {
		if asked := parseCitation(file.Content); asked != nil {
			return Cited{Item: asked, Texts: asked.With(own).Texts()}, nil
		}
	}
	return Cited{Texts: own.Texts(), NamesGuessed: cite.AreNamesGuessed(resource)}, ctx.Err()
}
