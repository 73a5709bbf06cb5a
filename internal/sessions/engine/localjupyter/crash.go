package localjupyter

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// markName is the file that says that an engine is open.
const markName = "open"

// leaveMark creates a mark, which removeMark removes, and reports whether an earlier engine left one because it was killed.
func leaveMark(dir string, logger *slog.Logger) (crashed bool) {
	file, err := os.OpenFile(filepath.Join(dir, markName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = file.Close()
	}
	if crashed = errors.Is(err, fs.ErrExist); err != nil && !crashed {
		logger.Warn("it can't be noted that this server runs, so a crash won't be noticed", "error", err)
	}
	return crashed
}

func removeMark(dir string) { _ = os.Remove(filepath.Join(dir, markName)) }
