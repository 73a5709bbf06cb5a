package broker

import (
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// The bounds of a list of files.
const (
	filesListed   = 1000
	entriesRead   = 10_000    // of folders, in all
	namesListed   = 512 << 10 // bytes of paths
	folderOpening = os.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NONBLOCK
)

// walk lists the files and folders that may be seen, those that are deepest last to be left out where there are too many. It follows no links.
func (l *looks) walk(root *os.Root) (files []LookFile, more bool) {
	files = []LookFile{}
	read, names := 0, 0
	for folders := []string{"."}; len(folders) > 0; folders = folders[1:] {
		opened, err := root.OpenFile(folders[0], folderOpening, 0)
		if err != nil {
			continue // it may not be read, or is gone
		}
		entries, _ := opened.ReadDir(entriesRead - read + 1)
		_ = opened.Close()
		if read += len(entries); read > entriesRead {
			more = true
		}
		slices.SortFunc(entries, func(one, other os.DirEntry) int { return strings.Compare(one.Name(), other.Name()) })
		for _, entry := range entries {
			name := path.Join(folders[0], entry.Name())
			if !l.isShown(name) || !entry.IsDir() && !entry.Type().IsRegular() {
				continue
			}
			about, err := entry.Info()
			if err != nil {
				continue // it is gone
			}
			if names += len(name); len(files) == filesListed || names > namesListed {
				return sorted(files), true
			}
			one := LookFile{Path: name, IsFolder: entry.IsDir(), ModifiedAt: about.ModTime().UTC()}
			if !one.IsFolder {
				one.Bytes = about.Size()
			} else if name != l.datasets {
				folders = append(folders, name)
			}
			files = append(files, one)
		}
		if more {
			break
		}
	}
	return sorted(files), more
}

func sorted(files []LookFile) []LookFile {
	slices.SortFunc(files, func(one, other LookFile) int { return strings.Compare(one.Path, other.Path) })
	return files
}
