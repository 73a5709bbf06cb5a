package codehost

import (
	"bytes"
	"context"
	gopath "path"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

const (
	linksFollowed = 20    // in a folder; the others are listed as files
	linkHops      = 8     // from one link to the next
	linkFolders   = 5     // listed to find what links lead to
	linkBytes     = 1_000 // of a link's target
)

// targetOf returns the path in the repository that a symbolic link leads to, from its own path and its content, which is all
// that a code host sends of it. It isn't ok if the content can't be the target of a link, or leads out of the repository.
func targetOf(link string, content []byte) (target string, ok bool) {
	text := string(content)
	if len(text) > linkBytes || !utf8.ValidString(text) || strings.HasPrefix(text, "/") || strings.ContainsAny(text, "\r\n\x00") || text == "" {
		return "", false
	}
	target = gopath.Join(gopath.Dir("/"+link), text)[1:] // Join would keep it at the root, so it is counted as well
	depth := strings.Count(link, "/")
	for element := range strings.SplitSeq(text, "/") {
		switch element {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return "", false
			}
		default:
			depth++
		}
	}
	return target, target != ""
}

// tree is a branch of a repository, as its host shows it. Paths are clean.
type tree interface {
	// folder lists a folder in any order. Its symbolic links have the type typeLink when they are added. If the path itself is such a link,
	// a host may return what it leads to as target, instead of a listing.
	folder(ctx context.Context, path string) (listing Listing, target string, err error)
	// content reads a file: its own content, or the target of a symbolic link.
	content(ctx context.Context, path string, maxBytes int64) (answer, error)
}

// openFolder lists a folder, or the one that a symbolic link leads to; its path is in the answer.
func openFolder(ctx context.Context, in tree, path string) (Listing, error) {
	for range linkHops {
		listing, target, err := in.folder(ctx, path)
		if err != nil || target == "" {
			listing.Path = path
			listing.sort()
			return listing, err
		}
		path = target
	}
	return Listing{}, fault.New(fault.NotFound, "The symbolic link %q leads to others without an end.", "/"+path)
}

// links follows symbolic links in a tree.
type links struct {
	tree    tree
	folders map[string][]Entry // those that were listed
}

// find returns the entry at a path, as it is in its folder.
func (l *links) find(ctx context.Context, path string) (Entry, bool) {
	folder := strings.TrimPrefix(gopath.Dir("/"+path), "/")
	if _, listed := l.folders[folder]; !listed {
		if len(l.folders) == linkFolders {
			return Entry{}, false
		}
		listing, err := openFolder(ctx, l.tree, folder)
		if err != nil || listing.Path != folder {
			listing.Entries = nil
		}
		l.folders[folder] = listing.Entries
	}
	for _, one := range l.folders[folder] {
		if one.Path == path {
			return one, true
		}
	}
	return Entry{}, false
}

// follow returns what a link leads to at last, which isn't a link. It isn't ok if that isn't in the repository.
func (l *links) follow(ctx context.Context, from Entry) (at Entry, ok bool) {
	at = from
	for range linkHops {
		content, err := l.tree.content(ctx, at.Path, linkBytes)
		if err != nil {
			return from, false
		}
		target, ok := targetOf(at.Path, content.body)
		if !ok {
			return from, false
		}
		if at, ok = l.find(ctx, target); !ok || !at.isLink {
			return at, ok
		}
	}
	return from, false
}

// followAll gives the links of a folder the type and the size of what they lead to.
func (l *links) followAll(ctx context.Context, entries []Entry) {
	followed := 0
	for i, one := range entries {
		if !one.isLink {
			continue
		}
		if followed++; followed > linksFollowed {
			return
		}
		if at, ok := l.follow(ctx, one); ok {
			entries[i].Type, entries[i].Size, entries[i].SHA = at.Type, at.Size, at.SHA
		}
	}
}

// behind returns the path of the file that is shown for a path with this content: its own, or where it leads if it is a
// link. NotFound if that isn't a file of the repository.
func (l *links) behind(ctx context.Context, path string, content []byte) (string, error) {
	if bytes.ContainsAny(content, "\n\x00") || len(content) > linkBytes || len(content) == 0 {
		return path, nil
	}
	entry, ok := l.find(ctx, path)
	if !ok || !entry.isLink {
		return path, nil
	}
	at, ok := l.follow(ctx, entry)
	switch {
	case !ok:
		return "", fault.New(fault.NotFound, "%q is a symbolic link to %q, and there is no such file in the repository.", path, content)
	case at.Type != TypeFile:
		return "", fault.New(fault.NotFound, "%q is a symbolic link to %q, which isn't a file.", path, at.Path)
	}
	return at.Path, nil
}
