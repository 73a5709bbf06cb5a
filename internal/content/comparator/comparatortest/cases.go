// Package comparatortest reads the cases that the comparator is held to: pairs of notebooks of which is known whether they
// are the same. Its tests and its benchmark use it.
package comparatortest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// Case is one known cause: a folder with case.yaml, author.ipynb, run.ipynb and, where a second fresh run tells something,
// again.ipynb.
type Case struct {
	Name    string `yaml:"-"`
	Cause   string `yaml:"cause"`
	Want    string `yaml:"want"`    // same or different
	Verdict string `yaml:"verdict"` // of the worst cell; may be empty

	Author, Run, Again []byte `yaml:"-"` // Again may be nil
}

// Same reports whether a reader should be told that nothing differs.
func (c Case) Same() bool { return c.Want == "same" }

// Cases reads all cases in a folder, in order of their names; none if there is no such folder.
func Cases(folder string) ([]Case, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Case
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		one, err := read(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", entry.Name(), err)
		}
		all = append(all, one)
	}
	return all, nil
}

func read(folder string) (Case, error) {
	one := Case{Name: filepath.Base(folder)}
	about, err := os.ReadFile(filepath.Join(folder, "case.yaml"))
	if err != nil {
		return one, err
	}
	if err := yaml.Unmarshal(about, &one); err != nil {
		return one, err
	}
	if one.Cause == "" || one.Want != "same" && one.Want != "different" {
		return one, errors.New(`case.yaml needs a cause, and want: same or want: different`)
	}
	for name, to := range map[string]*[]byte{"author": &one.Author, "run": &one.Run, "again": &one.Again} {
		*to, err = os.ReadFile(filepath.Join(folder, name+".ipynb"))
		if err != nil && (name != "again" || !errors.Is(err, fs.ErrNotExist)) {
			return one, err
		}
	}
	return one, nil
}
