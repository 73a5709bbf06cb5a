package installation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// backupFile records the last backup of a data folder.
const backupFile = "backup.json"

// LastBackup says when and where to a data folder was backed up.
type LastBackup struct {
	At     time.Time `json:"at"`
	Folder string    `json:"folder"`
	Bytes  int64     `json:"bytes"`
}

// WriteBackup records in the data folder that there is a backup.
func WriteBackup(data string, made LastBackup) error {
	return writeJSON(filepath.Join(data, backupFile), made)
}

// ReadBackup returns the last backup of a data folder.
func ReadBackup(data string) (last LastBackup, found bool) {
	content, err := os.ReadFile(filepath.Join(data, backupFile))
	return last, err == nil && json.Unmarshal(content, &last) == nil
}
