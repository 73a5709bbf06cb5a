package kept_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"cairn/internal/content/kept"
)

// away is the work of a session on a machine that sends one of its files and no other.
type away map[string]string

func (a away) Files(context.Context, []string) (files []kept.WorkFile, err error) {
	for name, content := range a {
		files = append(files, kept.WorkFile{Path: name, Bytes: int64(len(content))})
	}
	slices.SortFunc(files, func(one, other kept.WorkFile) int { return strings.Compare(one.Path, other.Path) })
	return files, nil
}

func (a away) Open(_ context.Context, path string) (io.ReadCloser, error) {
	if path != "sent.txt" {
		return nil, errors.New("the machine doesn't answer")
	}
	return io.NopCloser(strings.NewReader(a[path])), nil
}

// What can't be searched for secrets is named, so that nobody takes it for harmless.
func TestFilesOfASessionThatCannotBeSearched(t *testing.T) {
	w := newWorld(t)
	w.session = away{"sent.txt": "nothing", "README.md": "# Mine", ".env": "a=b", "notes.txt": "?"}
	found, err := w.kept.DescribeWork(w.as(ada), kept.WorkOf{Session: "one", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	for _, one := range found.Warnings {
		warned = append(warned, one.Path+" "+string(one.Kind))
	}
	slices.Sort(warned)
	if want := []string{".env env_file", ".env not_searched", "README.md not_searched", "notes.txt not_searched"}; !slices.Equal(warned, want) {
		t.Errorf("warnings: %q, want %q", warned, want)
	}
}
