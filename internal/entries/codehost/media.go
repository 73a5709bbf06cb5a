package codehost

import (
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitlfs"
)

// MediaURL is where GitHub has the files in Git LFS whose pointers are below the address of raw files, at the same paths; "" if
// that isn't known.
func MediaURL(rawURL string) string {
	if rawURL == PublicRaw {
		return "https://media.githubusercontent.com/media"
	}
	base, ok := strings.CutSuffix(rawURL, "/raw")
	if !ok {
		return ""
	}
	return base + "/media"
}

// inLFS refuses a pointer in place of the file that people mean.
func inLFS(file File, err error) (File, error) {
	if err == nil && gitlfs.IsPointer(file.Content) {
		return File{}, fault.New(fault.Invalid, "%q is kept in Git LFS, and its host doesn't send it. The repository itself has only a pointer to it, so it can't be shown here.", file.Path)
	}
	return file, err
}
