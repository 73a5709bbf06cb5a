package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// backupFile records the last backup of a data folder.
const backupFile = "backup.json"

// lastBackup says when and where to a data folder was backed up.
type lastBackup struct {
	At     time.Time `json:"at"`
	Folder string    `json:"folder"`
	Bytes  int64     `json:"bytes"`
}

// writeBackup records in the data folder that there is a backup.
func writeBackup(data string, made lastBackup) error {
	return writeJSON(filepath.Join(data, backupFile), made)
}

// readBackup returns the last backup of a data folder.
func readBackup(data string) (last lastBackup, found bool) {
	content, err := os.ReadFile(filepath.Join(data, backupFile))
	return last, err == nil && json.Unmarshal(content, &last) == nil
}
