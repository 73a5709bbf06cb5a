package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/diagnosis"
)

// What git writes is bounded in files and folders too: references are files, and a repository may have any number of them.
func TestMirrorsAreMeasuredWhileTheyGrow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fill func(folder string, i int) error
		ends bool
	}{
		"empty files": {func(folder string, i int) error {
			return os.WriteFile(filepath.Join(folder, strconv.Itoa(i)), nil, 0o600)
		}, true},
		"folders": {func(folder string, i int) error { return os.Mkdir(filepath.Join(folder, strconv.Itoa(i)), 0o700) }, true},
		"links":   {func(folder string, i int) error { return os.Symlink("nowhere", filepath.Join(folder, strconv.Itoa(i))) }, true},
		"a deep path": {func(folder string, i int) error {
			return os.MkdirAll(filepath.Join(folder, strings.Repeat("d/", min(i, 210))), 0o700)
		}, true},
		"a large file": {func(folder string, i int) error {
			if i > 0 {
				return nil
			}
			return os.WriteFile(filepath.Join(folder, "pack"), make([]byte, 2<<20), 0o600)
		}, true},
		"little": {func(folder string, i int) error {
			return os.WriteFile(filepath.Join(folder, strconv.Itoa(i%3)), nil, 0o600)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			err := watched(t.Context(), folder, 1<<20, time.Millisecond, func(ctx context.Context) error {
				for i := range 300 {
					if err := c.fill(folder, i); err != nil {
						return err
					}
				}
				if !c.ends {
					return nil
				}
				<-ctx.Done()
				return errors.New("git was killed")
			})
			if (diagnosis.CodeOf(err) == diagnosis.TooLarge) != c.ends || (err != nil) != c.ends {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}
