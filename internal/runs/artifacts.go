package runs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/content/comparator"
	"cairn/internal/foundation/fault"
	"cairn/internal/runs/executor"
)

// artifacts are the files that a run leaves.
type artifacts struct {
	log      string
	author   []byte // the notebook as it was before the run
	executed []byte
	report   report
}

// report says of each cell with code what became of it, and how its outputs differ from those that the author stored.
type report struct {
	comparator.Result

	Executed []executedCell `json:"executed"` // in their order
}

// executedCell is what became of a cell with code.
type executedCell struct {
	State   executor.State `json:"state"`
	Seconds float64        `json:"seconds"` // to the microsecond; 0 if it didn't run
}

func executedCells(executed executor.Executed) []executedCell {
	cells := make([]executedCell, len(executed.Cells))
	for i, one := range executed.Cells {
		cells[i] = executedCell{State: one.State, Seconds: one.Took.Round(time.Microsecond).Seconds()}
	}
	return cells
}

// The names of the files in the folder of a run.
const (
	logName        = "log.txt"
	authorName     = "author.ipynb"
	executedName   = "executed.ipynb"
	comparisonName = "comparison.json"
)

// keep writes the artifacts of a run. A run that is carried out again replaces what the last attempt left.
func (s *Service) keep(id string, made artifacts) error {
	var report []byte
	if made.executed != nil {
		var err error
		if report, err = json.Marshal(made.report); err != nil {
			return err
		}
	}
	folder := filepath.Join(s.Folder, id)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return err
	}
	for name, content := range map[string][]byte{logName: []byte(made.log), authorName: made.author, executedName: made.executed, comparisonName: report} {
		if len(content) == 0 {
			continue
		}
		if err := s.write(filepath.Join(folder, name), content, 0o600); err != nil {
			return errors.Join(err, os.RemoveAll(folder)) // half of it helps nobody
		}
	}
	return nil
}

// artifact opens a file that a run in the store left; NotFound if there is none.
func (s *Service) artifact(id, name string) (*os.File, error) {
	file, err := os.Open(filepath.Join(s.Folder, id, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "This run left no such file.")
	}
	return file, err
}

// idsWithFiles returns the ids of the runs that left files.
func (s *Service) idsWithFiles() (ids []string, err error) {
	folders, err := os.ReadDir(s.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, folder := range folders {
		ids = append(ids, folder.Name())
	}
	return ids, err
}

// discard deletes what a run left, except the log of one that failed.
func (s *Service) discard(run Run) error {
	folder := filepath.Join(s.Folder, run.ID)
	if run.Verdict != Fails {
		return os.RemoveAll(folder)
	}
	for _, name := range []string{authorName, executedName, comparisonName} {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
