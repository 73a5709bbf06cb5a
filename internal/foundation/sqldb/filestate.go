package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"strings"
	"syscall"
	"time"

	"cairn/internal/foundation/fault"
)

// fileState is what a server notes about its SQLite file, beside it, so that the next start can tell a file that it left
// in order from one that was torn, replaced by an older one, or copied while it was written to.
type fileState struct {
	Clean   bool            `json:"clean"` // the server closed it; nobody had it open
	Size    int64           `json:"size"`  // bytes
	File    uint64          `json:"file"`  // the number by which the file system knows it; a copy has another
	Numbers map[Topic]int64 `json:"numbers"`
	At      time.Time       `json:"at"` // when Numbers last changed
}

// Doubt is why a SQLite file may lack changes that this data folder has seen.
type Doubt struct {
	Until   time.Time       // when the last change was seen
	Missing map[Topic]int64 // how many changes of each kind are known to be missing
	Copied  bool            // while it was open: anything may be missing

	path string
}

// stateInterval is how long a commit may be unknown to the state.
const stateInterval = time.Second

func stateName(path string) string { return path + ".state" }

// OpenToServe is Open for a server. It compares a SQLite file with what the last server on it noted, and refuses one that is
// damaged or may lack changes. After an orderly end that takes milliseconds; otherwise the whole file is read. Copies of a file
// that was open are always refused: of forty torn on purpose, one passed every check of SQLite and still lacked rows.
//
// It attaches as Attach does, for at most attachTime, before it changes the tables: a server that is refused leaves them to the other one.
func OpenToServe(ctx context.Context, address string, alone bool, now func() time.Time, logger *slog.Logger) (*DB, error) {
	path, isFile := strings.CutPrefix(address, "sqlite:")
	size, file, err := fileOf(path)
	isNew := !isFile || size == 0
	if isFile && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Invalid, "The database %s can't be read: %s.", path, err.Error())
	}
	db, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	db.now, db.woken = now, make(chan struct{}, 1)
	if isFile {
		if err := db.checkFile(ctx, isNew, size, file, logger); err != nil {
			return nil, closeAfter(db, err)
		}
	}
	bounded, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	if db.detach, err = db.Attach(bounded, alone); err != nil {
		return nil, closeAfter(db, err)
	}
	if err := db.migrate(ctx, newest); err != nil {
		return nil, closeAfter(db, err)
	}
	if db.path != "" {
		if err := db.noteState(ctx, false); err != nil {
			return nil, closeAfter(db, err)
		}
		db.served = true
	}
	return db, nil
}

// checkFile compares a file with what was noted about it. Its size and number are those before it was opened.
func (db *DB) checkFile(ctx context.Context, isNew bool, size int64, file uint64, logger *slog.Logger) error {
	noted, err := readState(db.path)
	isNoted := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logger.WarnContext(ctx, "what the last server noted about the database can't be read", "error", err)
	}
	var numbers map[Topic]int64
	if !isNew {
		if numbers, err = db.numbers(ctx); err != nil && isNoted { // versions that noted nothing may have no numbers
			return damaged(db.path, err)
		}
	}
	if doubt := noted.doubt(db.path, numbers, file); doubt != nil {
		return doubt.Refusal()
	}
	if isNew || isNoted && noted.Clean && noted.Size == size && maps.Equal(noted.Numbers, numbers) {
		return nil
	}
	logger.InfoContext(ctx, "checking the database, because no server closed it as it is now", "bytes", size)
	if err := db.check(ctx, "quick_check(3)"); err != nil {
		return damaged(db.path, err)
	}
	return nil
}

// Refusal is with what a server refuses the file.
func (d *Doubt) Refusal() error {
	what := "is older than its data folder: it lacks changes that were made until " + d.Until.UTC().Format(time.DateTime+" MST") +
		". It was probably put back from a copy"
	if len(d.Missing) == 0 {
		what = "was copied while a server had it open, so it may lack changes in places that no check finds"
	}
	return fault.New(fault.Conflict, "The database %s %s. Copy the data folder again while no server runs, or restore a backup with cairn restore. "+
		"To use this file all the same: cairn doctor --accept-older-database tells what it lacks first. Nothing was changed.", d.path, what)
}

// check runs one of SQLite's checks of the whole file and returns what it finds.
func (db *DB) check(ctx context.Context, check string) error {
	rows, err := db.QueryContext(ctx, `PRAGMA `+check)
	if err != nil {
		return err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var what, row, parent, key sql.NullString
		places := []any{&what, &row, &parent, &key} // of a broken reference
		if names, err := rows.Columns(); err == nil && len(names) == 1 {
			places = places[:1]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if what.String != "ok" {
			found = append(found, strings.Join(strings.Fields(what.String+" "+row.String+" "+parent.String), " "))
		}
	}
	if len(found) > 0 {
		return errors.New(strings.Join(found[:min(len(found), 3)], "; "))
	}
	return rows.Err()
}

func damaged(path string, cause error) error {
	return fault.Wrap(cause, fault.Conflict, "The database %s is damaged: %s. It was probably copied while a server wrote to it, or its disk "+
		"failed. Restore a backup with cairn restore, and keep this file until that is done. Nothing was changed.", path, cause.Error())
}

// numbers returns the current numbers of all topics.
func (db *DB) numbers(ctx context.Context) (map[Topic]int64, error) {
	rows, err := db.QueryContext(ctx, `SELECT 'entries', seq FROM change_counter UNION ALL SELECT name, seq FROM counter`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	numbers := map[Topic]int64{}
	for rows.Next() {
		var topic Topic
		var number int64
		if err := rows.Scan(&topic, &number); err != nil {
			return nil, err
		}
		numbers[topic] = number
	}
	return numbers, rows.Err()
}

// doubt compares a file, and the numbers in it, with what was noted; nil if nothing speaks against it. A crash leaves the same
// file, and so does a snapshot of a disk.
func (s fileState) doubt(path string, numbers map[Topic]int64, file uint64) *Doubt {
	found := &Doubt{path: path, Until: s.At, Missing: map[Topic]int64{}, Copied: s.File != 0 && !s.Clean && s.File != file}
	for topic, number := range s.Numbers {
		if number > numbers[topic] {
			found.Missing[topic] = number - numbers[topic]
		}
	}
	if len(found.Missing) == 0 && !found.Copied {
		return nil
	}
	return found
}

// FollowState keeps what is noted about a SQLite file at most stateInterval behind its commits, until ctx ends.
func (db *DB) FollowState(ctx context.Context, logger *slog.Logger) {
	if !db.served {
		return
	}
	ticks := time.NewTicker(stateInterval)
	defer ticks.Stop()
	for failing := false; ; {
		err := db.noteState(ctx, false)
		if err != nil && !failing && ctx.Err() == nil {
			logger.WarnContext(ctx, "the state of the database can't be noted; trying again", "error", err)
		}
		failing = err != nil
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// noteState writes the present state, unless it's noted already.
func (db *DB) noteState(ctx context.Context, clean bool) error {
	numbers, err := db.numbers(ctx)
	if err != nil {
		return err
	}
	state := fileState{Clean: clean, Numbers: numbers, At: db.now().UTC()}
	if state.Size, state.File, err = fileOf(db.path); err != nil {
		return err
	}
	noted, err := readState(db.path)
	if err == nil && noted.Clean == clean && noted.File == state.File && maps.Equal(noted.Numbers, numbers) {
		return nil
	}
	return writeState(db.path, state)
}

// closeFile notes that a server closed its SQLite file. If another process still has it open, that is left to it.
func (db *DB) closeFile(numbers map[Topic]int64) error {
	if _, err := os.Stat(db.path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	state := fileState{Clean: true, Numbers: numbers, At: db.now().UTC()}
	var err error
	if state.Size, state.File, err = fileOf(db.path); err != nil {
		return err
	}
	return writeState(db.path, state)
}

// LookForDoubt returns why a server would refuse a SQLite file that can be read; nil if it wouldn't.
func LookForDoubt(ctx context.Context, address string) (*Doubt, error) {
	path, isFile := strings.CutPrefix(address, "sqlite:")
	if !isFile {
		return nil, nil //nolint:nilnil // no doubt
	}
	noted, err := readState(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // likewise
	}
	if err != nil {
		return nil, err
	}
	size, file, err := fileOf(path)
	if errors.Is(err, fs.ErrNotExist) || size == 0 {
		return noted.doubt(path, nil, file), nil
	}
	if err != nil {
		return nil, err
	}
	var numbers map[Topic]int64
	err = inspectFile(ctx, address, func(db *DB) (err error) { numbers, err = db.numbers(ctx); return err })
	return noted.doubt(path, numbers, file), err
}

// CheckFile reads a whole SQLite file and returns a fault if it is damaged. It compares the indexes with the rows, too.
func CheckFile(ctx context.Context, address string) error {
	return inspectFile(ctx, address, func(db *DB) error {
		return cmp.Or(db.check(ctx, "integrity_check(3)"), db.check(ctx, "foreign_key_check"))
	})
}

func inspectFile(ctx context.Context, address string, look func(db *DB) error) error {
	db, err := connect(ctx, address)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := look(db); err != nil {
		return damaged(db.path, err)
	}
	return nil
}

// AcceptOlder makes the next server start from a SQLite file as it is. It is still checked for damage.
func AcceptOlder(address string) error {
	path, _ := strings.CutPrefix(address, "sqlite:")
	if err := os.Remove(stateName(path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func readState(path string) (state fileState, err error) {
	content, err := os.ReadFile(stateName(path))
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return fileState{}, fmt.Errorf("%s: %w", stateName(path), err)
	}
	return state, nil
}

// writeState replaces the noted state at once. It isn't forced onto the disk: after a power failure an older one is as good.
func writeState(path string, state fileState) error {
	content, err := json.Marshal(state)
	if err != nil {
		return err
	}
	name := stateName(path)
	if err := os.WriteFile(name+".new", append(content, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// fileOf returns the size of a file in bytes and its number in the file system.
func fileOf(path string) (size int64, file uint64, err error) {
	about, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	if system, ok := about.Sys().(*syscall.Stat_t); ok {
		file = system.Ino
	}
	return about.Size(), file, nil
}
