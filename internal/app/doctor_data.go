package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/audit"
	"cairn/internal/sqldb"
)

// examineDatabase reports the version of the tables; what hinders the start is told by the examination of it.
func examineDatabase(ctx context.Context, on *examined) (string, []finding) {
	if _, err := os.Stat(on.config.Data); err != nil && on.config.DatabaseURL == "" {
		return "the start makes it", nil
	}
	found, err := sqldb.Inspect(ctx, on.config.databaseAddress(), false)
	if err != nil && !errors.Is(err, sqldb.ErrAttached) {
		return "", nil
	}
	system := "PostgreSQL"
	if strings.HasPrefix(on.config.databaseAddress(), "sqlite:") {
		system = "SQLite"
	}
	switch {
	case found.Version == 0:
		return system + "; the start makes the tables", nil
	case found.Version < found.Known:
		return fmt.Sprintf("%s with tables of version %d; the start brings them to %d", system, found.Version, found.Known), nil
	}
	return fmt.Sprintf("%s with tables of version %d", system, found.Version), nil
}

// examineRecords compares the records of changes with their seals.
func examineRecords(ctx context.Context, on *examined) (string, []finding) {
	address := on.config.databaseAddress()
	if found, err := sqldb.Inspect(ctx, address, false); (err != nil && !errors.Is(err, sqldb.ErrAttached)) || found.Version == 0 || found.Version < found.Known {
		return "", nil // there are none, or the start says why they can't be read
	}
	db, err := sqldb.Open(ctx, address, on.now)
	if err != nil {
		return "", nil
	}
	defer db.Close()
	problems, err := audit.NewStore(db).Verify(ctx)
	if err != nil {
		return "", []finding{{"The records of who changed what can't be read: " + messageOf(err) + ".", ""}}
	}
	var findings []finding
	for _, problem := range problems {
		findings = append(findings, finding{problem, "Somebody changed the database by hand; compare with a backup."})
	}
	return "records of changes are as they were sealed", findings
}

// examineDatasets looks for the folder of datasets.
func examineDatasets(_ context.Context, on *examined) (string, []finding) {
	root := on.config.Datasets.Root
	if root == "" {
		return "", nil
	}
	if about, err := os.Stat(root); err != nil || !about.IsDir() {
		return "", []finding{{"datasets.root names " + root + ", and there is no such folder.", "Put the datasets back there, or change datasets.root."}}
	}
	return "in " + root, nil
}

// backupFile records the last backup of a data folder.
const backupFile = "backup.json"

type lastBackup struct {
	At     time.Time `json:"at"`
	Folder string    `json:"folder"`
	Bytes  int64     `json:"bytes"`
}

// noteBackup records in the data folder that there is a backup.
func noteBackup(data string, made lastBackup) error {
	content, err := json.Marshal(made)
	if err != nil {
		return err
	}
	path := filepath.Join(data, backupFile)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// readBackup returns the last backup of a data folder.
func readBackup(data string) (last lastBackup, found bool) {
	content, err := os.ReadFile(filepath.Join(data, backupFile))
	return last, err == nil && json.Unmarshal(content, &last) == nil
}

// oldBackup is the age from which on a backup is too old.
const oldBackup = 7 * 24 * time.Hour

// examineBackup reports the age of the last backup that cairn backup made of the data folder on this machine.
func examineBackup(_ context.Context, on *examined) (string, []finding) {
	last, found := readBackup(on.config.Data)
	if !found {
		return "cairn backup has made none of this data folder yet", nil
	}
	text := fmt.Sprintf("the last one was made %s, in %s", last.At.Format(time.DateTime+" MST"), last.Folder)
	if age := on.now().Sub(last.At); age > oldBackup {
		return "", []finding{{fmt.Sprintf("The last backup is %d days old.", int(age.Hours()/24)), "Run cairn backup every night: see docs/operate.md."}}
	}
	return text, nil
}
