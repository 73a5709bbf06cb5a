package codehost

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// cleanPath refuses paths that don't stay inside a repository.
func cleanPath(path string) (string, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		return "", nil
	}
	if len(path) > 4_000 || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		return "", fault.InvalidField("query.path", "This isn't a path inside a repository.")
	}
	for element := range strings.SplitSeq(path, "/") {
		if !validName(element) {
			return "", fault.InvalidField("query.path", "No part of a path may be empty, . or ..")
		}
	}
	return path, nil
}

func validName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00") && utf8.ValidString(name)
}

// add adds an entry to a listing. Invalid names are left out: they could lead elsewhere.
func (l *Listing) add(folder, kind, name string, size int64, sha string) {
	if !validName(name) {
		return
	}
	entry := Entry{Type: kind, Path: strings.TrimPrefix(folder+"/"+name, "/"), Name: name, Size: max(SizeUnknown, size), SHA: sha}
	switch kind {
	case TypeFolder, TypeSubmodule:
		entry.Size = 0
	case typeLink:
		entry.Type, entry.isLink = TypeFile, true
	}
	l.Entries = append(l.Entries, entry)
}

// typeLink is the type of a symbolic link until it is followed.
const typeLink = "symlink"

// sort puts folders first and then ignores case.
func (l *Listing) sort() {
	slices.SortFunc(l.Entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(rank(a), rank(b)), strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
}

// rank is the type by which an entry is sorted: submodules are among the files.
func rank(one Entry) string {
	if one.Type == TypeFolder {
		return TypeFolder
	}
	return TypeFile
}
