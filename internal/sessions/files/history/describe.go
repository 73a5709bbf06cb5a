package history

import (
	"path"
	"path/filepath"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// checkPath returns NotFound unless a path may be one in the work folder.
func checkPath(name string) error {
	if name != "" && (!filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsRune(name, 0)) {
		return fault.New(fault.NotFound, "The version has no file or folder %s.", fault.Quote(name))
	}
	return nil
}

// inWork is a path of the work folder in versions.
func inWork(name string) string { return path.Join(folders.Work, name) }

// describe is a version as people see it: of the work.
func describe(one versions.Version) engine.Version {
	work := one.Root(folders.Work)
	found := engine.Version{
		ID: one.ID, At: one.At, Cause: engine.VersionCause(one.Cause), Name: one.Name, Files: work.Files, Bytes: work.Bytes,
		StoredBytes: one.StoredBytes, Added: work.Added, Modified: work.Modified, Deleted: work.Deleted,
	}
	var out []engine.LeftOut
	for _, left := range one.LeftOut {
		if name, inside := cutWork(left.Path); inside {
			out = append(out, engine.LeftOut{What: versions.EscapePath(name), Why: whyLeftOut[left.Reason]})
		}
	}
	found.LeftOut = engine.ShortLeftOut(out)
	return found
}

// cutWork returns the path in the work folder of a path of a version.
func cutWork(name string) (string, bool) {
	if name == "" || name == folders.Work {
		return "", true
	}
	const prefix = folders.Work + "/"
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		return name[len(prefix):], true
	}
	return "", false
}

var whyLeftOut = map[versions.Reason]string{
	versions.Cache:      "Programs make it again when they need it.",
	versions.Checkpoint: "Versions replace Jupyter's checkpoints.",
	versions.TooLarge:   "The file is larger than what versions keep.",
	versions.Special:    "It's a pipe, a socket or a device.",
	versions.Changing:   "It changed whenever it was read. If the version before has it, this version has that content.",
	versions.Unreadable: "It couldn't be read.",
	versions.TooDeep:    "Its folders are nested too deep.",
	versions.TooMany:    "There are too many files: everything else isn't in this version.",
}
