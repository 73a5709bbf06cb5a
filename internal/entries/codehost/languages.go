package codehost

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Language is a programming language of a repository.
type Language struct {
	Name  string
	Bytes int64 // of the files in it, or its part of them in hundredths of a percent
}

// languagesOf returns the languages with code, the one with most of it first.
func languagesOf(sizes map[string]int64) []Language {
	found := []Language{}
	for name, size := range sizes {
		if size > 0 {
			found = append(found, Language{name, size})
		}
	}
	slices.SortFunc(found, func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name))
	})
	return found
}

// bundledLanguages are the languages of bundled repositories, by the ends of their files' names, called as GitHub does.
var bundledLanguages = map[string]string{
	".c": "C", ".cpp": "C++", ".f90": "Fortran", ".ipynb": "Jupyter Notebook", ".jl": "Julia", ".js": "JavaScript",
	".m": "MATLAB", ".py": "Python", ".r": "R", ".sh": "Shell",
}

// Languages implements Host.
func (b Bundled) Languages(_ context.Context, repository Repository) ([]Language, error) {
	tree, err := b.tree(repository)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	eachFile(tree, func(name string, size int64) {
		if language := bundledLanguages[strings.ToLower(path.Ext(name))]; language != "" {
			sizes[language] += size
		}
	})
	return languagesOf(sizes), nil
}

// eachFile calls a function with the path and size of each file of a repository.
func eachFile(tree fs.FS, call func(name string, size int64)) {
	_ = fs.WalkDir(tree, ".", func(name string, one fs.DirEntry, err error) error {
		if err == nil && !one.IsDir() {
			if info, err := one.Info(); err == nil {
				call(name, info.Size())
			}
		}
		return nil
	})
}
