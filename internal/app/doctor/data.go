package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"cairn/internal/app/installation"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// checkDatabase reports the version of the tables; what prevents the start is reported by its own check.
func checkDatabase(ctx context.Context, on *target) (string, []problem) {
	if _, err := os.Stat(on.config.Data); err != nil && on.config.DatabaseURL == "" {
		return "the start makes it", nil
	}
	found, err := sqldb.Inspect(ctx, on.config.DatabaseAddress(), false)
	if err != nil && !errors.Is(err, sqldb.ErrAttached) {
		return "", nil
	}
	system := "PostgreSQL"
	if strings.HasPrefix(on.config.DatabaseAddress(), "sqlite:") {
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

// checkRecords compares the records of changes with their seals.
func checkRecords(ctx context.Context, on *target) (string, []problem) {
	address := on.config.DatabaseAddress()
	if found, err := sqldb.Inspect(ctx, address, false); (err != nil && !errors.Is(err, sqldb.ErrAttached)) || found.Version == 0 || found.Version < found.Known {
		return "", nil // there are none, or the start says why they can't be read
	}
	db, err := sqldb.Open(ctx, address, on.now)
	if err != nil {
		return "", nil
	}
	defer db.Close()
	faults, err := audit.NewStore(db).Verify(ctx)
	if err != nil {
		return "", []problem{{"The records of who changed what can't be read: " + fault.MessageOf(err) + ".", ""}}
	}
	var problems []problem
	for _, one := range faults {
		problems = append(problems, problem{one, "Someone changed the database by hand; compare with a backup."})
	}
	return "records of changes are as they were sealed", problems
}

// checkDatasets looks for the folder of datasets.
func checkDatasets(_ context.Context, on *target) (string, []problem) {
	root := on.config.Datasets.Root
	if root == "" {
		return "", nil
	}
	if about, err := os.Stat(root); err != nil || !about.IsDir() {
		return "", []problem{{"datasets.root names " + root + ", and there is no such folder.", "Put the datasets back there, or change datasets.root."}}
	}
	return "in " + root, nil
}

// oldBackup is the age from which on a backup is too old.
const oldBackup = 7 * 24 * time.Hour

// checkBackup reports the age of the last backup that cairn backup made of the data folder on this machine.
func checkBackup(_ context.Context, on *target) (string, []problem) {
	last, found := installation.ReadBackup(on.config.Data)
	if !found {
		return "", nil
	}
	text := fmt.Sprintf("the last one was made %s, in %s", last.At.Format(time.DateTime+" MST"), last.Folder)
	if age := on.now().Sub(last.At); age > oldBackup {
		return "", []problem{{fmt.Sprintf("The last backup is %d days old.", int(age.Hours()/24)), "Run cairn backup every night: see docs/operate.md."}}
	}
	return text, nil
}

// adviseBackup says how to get the first backup.
func adviseBackup(on *target) string {
	if _, found := installation.ReadBackup(on.config.Data); found {
		return ""
	}
	return "No backup yet. Set one up: let `cairn backup` run every night, with the script under “Back up” in docs/operate.md."
}
