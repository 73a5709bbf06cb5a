package kept

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// branch is the only branch of kept repositories.
const branch = "main"

// Host is the code host of the repositories that this server keeps: those of entries that the caller may see.
type Host struct {
	others codehost.Host // of this server's other repositories; nil: there are none
	files  *Files
}

// NewHost returns the code host of kept repositories, and of others on this server.
func NewHost(files *Files, others codehost.Host) *Host { return &Host{others, files} }

// place returns where a repository is kept; false for one of the others.
func place(repository codehost.Repository) (catalog.Kept, bool) {
	return catalog.ParseKept("https://" + repository.Host + "/" + repository.String())
}

// open returns the files of a repository that the caller may see.
func (h *Host) open(ctx context.Context, repository codehost.Repository) (*os.Root, error) {
	kept, ok := place(repository)
	if !ok {
		return nil, fault.New(fault.NotFound, "This server has no repository %s.", repository)
	}
	if err := h.files.MayRead(ctx, kept.ID); err != nil {
		return nil, err
	}
	tree, err := h.files.trees.path(ctx, kept)
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(tree)
}

// isOther reports whether a repository is one of the others.
func (h *Host) isOther(repository codehost.Repository) bool {
	_, kept := place(repository)
	return !kept && h.others != nil
}

// Fresh implements codehost.Host.
func (h *Host) Fresh(ctx context.Context, repository codehost.Repository, paths []string, maxBytes int64) (codehost.File, error) {
	if h.isOther(repository) {
		return h.others.Fresh(ctx, repository, paths, maxBytes)
	}
	absent := error(fault.New(fault.NotFound, "The repository has none of these files: %s.", strings.Join(paths, ", ")))
	for _, one := range paths {
		found, err := h.File(ctx, repository, one, maxBytes)
		if fault.KindOf(err) != fault.NotFound {
			return found, err
		}
	}
	return codehost.File{}, absent
}

// File implements codehost.Host.
func (h *Host) File(ctx context.Context, repository codehost.Repository, name string, maxBytes int64) (codehost.File, error) {
	if h.isOther(repository) {
		return h.others.File(ctx, repository, name, maxBytes)
	}
	root, err := h.open(ctx, repository)
	if err != nil {
		return codehost.File{}, err
	}
	defer root.Close()
	name = path.Clean(strings.Trim(name, "/"))
	about, err := root.Stat(name)
	if err != nil || !about.Mode().IsRegular() {
		return codehost.File{}, fault.New(fault.NotFound, "There is no file %s in this repository.", fault.Quote(name))
	}
	if about.Size() > maxBytes {
		return codehost.File{}, fault.New(fault.TooLarge, "%s is larger than %d bytes.", fault.Quote(name), maxBytes)
	}
	content, err := root.ReadFile(name)
	return codehost.File{Age: codehost.Age{AsOf: time.Now()}, Branch: branch, Path: name, Content: content}, err
}

// List implements codehost.Host.
func (h *Host) List(ctx context.Context, repository codehost.Repository, name string) (codehost.Listing, error) {
	if h.isOther(repository) {
		return h.others.List(ctx, repository, name)
	}
	root, err := h.open(ctx, repository)
	if err != nil {
		return codehost.Listing{}, err
	}
	defer root.Close()
	name = path.Clean("./" + strings.Trim(name, "/"))
	found, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return codehost.Listing{}, fault.New(fault.NotFound, "There is no folder %s in this repository.", fault.Quote("/"+strings.TrimPrefix(name, ".")))
	}
	if name == "." {
		name = ""
	}
	listing := codehost.Listing{Age: codehost.Age{AsOf: time.Now()}, Branch: branch, Path: name, Entries: []codehost.Entry{}}
	for _, one := range found {
		about, err := one.Info()
		if err != nil {
			return codehost.Listing{}, err
		}
		entry := codehost.Entry{Type: codehost.TypeFile, Name: one.Name(), Path: path.Join(name, one.Name()), Size: about.Size()}
		if one.IsDir() {
			entry.Type, entry.Size = codehost.TypeFolder, 0
		}
		// A version never changes, so the place of a file identifies its content.
		sum := sha256.Sum256([]byte(repository.String() + "\x00" + entry.Path))
		entry.SHA = hex.EncodeToString(sum[:20])
		listing.Entries = append(listing.Entries, entry)
	}
	slices.SortFunc(listing.Entries, func(one, other codehost.Entry) int {
		return cmp.Or(cmp.Compare(one.Type, other.Type), cmp.Compare(one.Name, other.Name)) // "dir" comes before "file"
	})
	return listing, nil
}

// HasRef implements codehost.Host.
func (h *Host) HasRef(ctx context.Context, repository codehost.Repository, ref string) (bool, []string, error) {
	if h.isOther(repository) {
		return h.others.HasRef(ctx, repository, ref)
	}
	kept, _ := place(repository)
	return ref == branch, []string{branch}, h.files.MayRead(ctx, kept.ID)
}

// Commit implements codehost.Host. Every version is another repository, so its number identifies what is in it.
func (h *Host) Commit(ctx context.Context, repository codehost.Repository, of string) (string, error) {
	if h.isOther(repository) {
		return h.others.Commit(ctx, repository, of)
	}
	kept, _ := place(repository)
	return "v" + strconv.Itoa(kept.Number), h.files.MayRead(ctx, kept.ID)
}

// About implements codehost.Host.
func (h *Host) About(ctx context.Context, repository codehost.Repository) (codehost.About, error) {
	if h.isOther(repository) {
		return h.others.About(ctx, repository)
	}
	kept, ok := place(repository)
	if !ok {
		return codehost.About{}, fault.New(fault.NotFound, "This server has no repository %s.", repository)
	}
	return codehost.About{Repository: repository, Branch: branch}, h.files.MayRead(ctx, kept.ID)
}

// Languages implements codehost.Host, by the names of files.
func (h *Host) Languages(ctx context.Context, repository codehost.Repository) ([]codehost.Language, error) {
	if h.isOther(repository) {
		return h.others.Languages(ctx, repository)
	}
	root, err := h.open(ctx, repository)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return codehost.Bundled{repository.String(): root.FS()}.Languages(ctx, repository)
}

// Name implements codehost.Host.
func (h *Host) Name(codehost.Repository) string { return "" }

// EditPage implements codehost.Host.
func (h *Host) EditPage(codehost.Repository, string, string, bool) string { return "" }
