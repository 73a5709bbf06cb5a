package codehost

import (
	"context"
	"crypto/sha1" //nolint:gosec // what git calls its objects
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

// bundledBranch is the only branch of bundled repositories.
const bundledBranch = "main"

// Bundled is a Host of repositories that ship with this server, by owner and name. Nothing is fetched over a network,
// so nothing is ever old.
type Bundled map[string]fs.FS

// Fresh implements Host.
func (b Bundled) Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error) {
	for _, path := range paths {
		if found, err := b.File(ctx, repository, path, maxBytes); fault.KindOf(err) != fault.NotFound {
			return found, err
		}
	}
	if _, err := b.tree(repository); err != nil {
		return File{}, err
	}
	return File{}, noneOf(paths, repository.String())
}

// Name implements Host.
func (b Bundled) Name(Repository) string { return "" }

// EditPage implements Host.
func (b Bundled) EditPage(Repository, string, string, bool) string { return "" }

// File implements Host.
func (b Bundled) File(_ context.Context, repository Repository, path string, maxBytes int64) (File, error) {
	tree, err := b.tree(repository)
	if err != nil {
		return File{}, err
	}
	if path, err = cleanPath(path); err != nil {
		return File{}, err
	}
	content, err := fs.ReadFile(tree, path)
	if err != nil {
		return File{}, fault.New(fault.NotFound, "There is no file %q in %s.", path, repository)
	}
	if int64(len(content)) > maxBytes {
		return File{}, tooLarge(maxBytes)
	}
	return File{Age: Age{AsOf: time.Now()}, Branch: bundledBranch, Path: path, Content: content}, nil
}

// List implements Host.
func (b Bundled) List(_ context.Context, repository Repository, path string) (Listing, error) {
	tree, err := b.tree(repository)
	if err != nil {
		return Listing{}, err
	}
	if path, err = cleanPath(path); err != nil {
		return Listing{}, err
	}
	folder, err := fs.Sub(tree, cleanFS(path))
	if err == nil {
		var found []fs.DirEntry
		if found, err = fs.ReadDir(folder, "."); err == nil {
			listing, err := listBundled(folder, path, found)
			listing.SizeBytes = sizeOf(tree)
			return listing, err
		}
	}
	return Listing{}, fault.New(fault.NotFound, "There is no folder %q in %s.", "/"+path, repository)
}

// sizeOf adds up the files of a repository.
func sizeOf(tree fs.FS) (size int64) {
	eachFile(tree, func(_ string, each int64) { size += each })
	return size
}

func listBundled(folder fs.FS, path string, found []fs.DirEntry) (Listing, error) {
	listing := Listing{Age: Age{AsOf: time.Now()}, Branch: bundledBranch, Path: path, Entries: []Entry{}}
	for _, one := range found {
		sha, size, err := object(folder, one)
		if err != nil {
			return Listing{}, err
		}
		kind := TypeFile
		if one.IsDir() {
			kind = TypeFolder
		}
		listing.add(path, kind, one.Name(), size, hex.EncodeToString(sha))
	}
	listing.sort()
	return listing, nil
}

// HasRef implements Host.
func (b Bundled) HasRef(_ context.Context, repository Repository, ref string) (there bool, names []string, err error) {
	_, err = b.tree(repository)
	return err == nil && ref == bundledBranch, []string{bundledBranch}, err
}

// Commit implements Host. Bundled repositories are folders: what this server's git makes of them isn't known here.
func (b Bundled) Commit(_ context.Context, repository Repository, branch string) (string, error) {
	_, err := b.tree(repository)
	if err == nil && branch != "" && branch != bundledBranch {
		err = fault.New(fault.NotFound, "%s has no branch %s.", repository, branch)
	}
	return "", err
}

// About implements Host. Bundled repositories are never renamed.
func (b Bundled) About(_ context.Context, repository Repository) (About, error) {
	tree, err := b.tree(repository)
	if err != nil {
		return About{}, err
	}
	return About{Repository: repository, Branch: bundledBranch, Measures: Measures{SizeBytes: sizeOf(tree)}}, nil
}

func cleanFS(path string) string {
	if path == "" {
		return "."
	}
	return path
}

func (b Bundled) tree(repository Repository) (fs.FS, error) {
	tree := b[repository.String()]
	if tree == nil {
		return nil, fault.New(fault.NotFound, "No repository %s is included with this server.", repository)
	}
	return tree, nil
}

// object returns the git object id of a file or a folder, and the size of a file in bytes.
func object(folder fs.FS, one fs.DirEntry) ([]byte, int64, error) {
	if !one.IsDir() {
		content, err := fs.ReadFile(folder, one.Name())
		return digest("blob", content), int64(len(content)), err
	}
	inside, err := fs.Sub(folder, one.Name())
	if err != nil {
		return nil, 0, err
	}
	entries, err := fs.ReadDir(inside, ".")
	if err != nil {
		return nil, 0, err
	}
	// git sorts folders as if their names ended with a slash.
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	var tree []byte
	var faults error
	for _, each := range entries {
		sha, _, err := object(inside, each)
		faults = errors.Join(faults, err)
		mode := "100644"
		if each.IsDir() {
			mode = "40000"
		}
		tree = append(fmt.Appendf(tree, "%s %s\x00", mode, each.Name()), sha...)
	}
	return digest("tree", tree), 0, faults
}

func sortName(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}

func digest(kind string, content []byte) []byte {
	hash := sha1.New() //nolint:gosec // see above
	_, _ = fmt.Fprintf(hash, "%s %d\x00", kind, len(content))
	_, _ = hash.Write(content)
	return hash.Sum(nil)
}
