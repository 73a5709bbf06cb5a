package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"

	"golang.org/x/sys/unix"
)

// Options say what a backup has.
type Options struct {
	DB         *sqldb.DB
	Header     Header            // without format, schema and time
	Files      map[string][]byte // by their path in the backup
	Sessions   func(engine, id string) (Session, bool, error)
	Stores     []Store
	Keys       Keys     // without Meta
	PublicMeta []string // the keys of the rows of meta that aren't secrets
	Passphrase string   // "": no keys
}

// Session is a session whose work is on this machine.
type Session struct {
	Folder string   // of everything that the engine keeps about it; "": on another machine, so it has no trees
	Trees  []string // the folders in it that are copied; none if they are made from its last version
	Files  map[string][]byte
}

// Store is a folder of versions.
type Store struct {
	Name string // with a slash, as Backup.Stores returns it
	// Copy passes each file on. It may return ErrAgain, for a copy that isn't worth anything because the files were rewritten
	// meanwhile.
	Copy func(ctx context.Context, pass func(name string, content io.Reader) error) error
}

// ErrAgain says that something has to be copied again.
var ErrAgain = errors.New("it was rewritten while it was copied")

// Summary is what a backup has.
type Summary struct {
	Header

	Sessions int
	Files    int
	Bytes    int64
	HasKeys  bool
	Changing []string // files that changed whenever they were copied
}

// writer collects the items of a backup.
type writer struct {
	root     *os.Root
	items    []item
	changing []string
}

// Write makes a backup in a folder that doesn't exist or is empty. The installation may go on meanwhile.
func Write(ctx context.Context, folder string, options Options) (Summary, error) {
	root, err := openEmpty(folder)
	if err != nil {
		return Summary{}, err
	}
	defer root.Close()
	w := &writer{root: root}
	header := options.Header
	header.Format = format
	if header.Schema, err = options.DB.Version(ctx); err != nil {
		return Summary{}, err
	}
	sessions, meta, err := w.database(ctx, options, &header)
	if err != nil {
		return Summary{}, err
	}
	summary := Summary{HasKeys: options.Passphrase != ""}
	if err := w.folder(sessionsName); err != nil {
		return summary, err
	}
	made := map[string]bool{}
	for _, one := range sessions {
		found, here, err := options.Sessions(one.engine, one.id)
		if err != nil {
			return summary, err
		}
		if !here {
			continue
		}
		summary.Sessions++
		engine := path.Join(sessionsName, one.engine)
		if !made[engine] {
			made[engine] = true
			if err := w.folder(engine); err != nil {
				return summary, err
			}
		}
		if err := w.session(ctx, path.Join(engine, one.id), found); err != nil {
			return summary, err
		}
	}
	if err := w.stores(ctx, options.Stores); err != nil { // after the sessions that need them
		return summary, err
	}
	if err := w.files("", options.Files); err != nil {
		return summary, err
	}
	if options.Passphrase != "" {
		options.Keys.Meta = meta
		sealed, err := options.Keys.seal(options.Passphrase)
		if err == nil {
			err = w.file(keysName, 0o600, sealed)
		}
		if err != nil {
			return summary, err
		}
	}
	for _, one := range w.items {
		if one.Type == typeFile {
			summary.Files++
			summary.Bytes += one.Size
		}
	}
	summary.Header, summary.Changing = header, w.changing
	return summary, writeManifest(root, header, w.items)
}

// openEmpty opens a folder, which is made if it doesn't exist and must be empty.
func openEmpty(folder string) (*os.Root, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, unusable(folder, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, unusable(folder, err)
	}
	if len(entries) > 0 {
		return nil, fault.New(fault.Invalid, "The folder %s isn't empty. Name one that is, or that doesn't exist yet.", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, unusable(folder, err)
	}
	return root, nil
}

func unusable(folder string, err error) error {
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	return fault.Wrap(err, fault.Invalid, "The folder %s can't be used: %s.", folder, err.Error())
}

type sessionRow struct{ engine, id string }

// database writes the tables, and returns the sessions in them and the secrets.
func (w *writer) database(ctx context.Context, options Options, header *Header) (sessions []sessionRow, secrets map[string]string, err error) {
	snapshot, err := options.DB.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer snapshot.Close()
	header.At = options.DB.Now().UTC().Truncate(time.Second)
	if err := w.folder(databaseName); err != nil {
		return nil, nil, err
	}
	secrets = map[string]string{}
	public := map[string]bool{}
	for _, name := range options.PublicMeta {
		public[name] = true
	}
	keep := map[string]func(row map[string]any) bool{
		"meta": func(row map[string]any) bool {
			key, _ := row["key"].(string)
			if !public[key] {
				secrets[key], _ = row["value"].(string)
			}
			return public[key]
		},
		"session": func(row map[string]any) bool {
			engine, _ := row["engine"].(string)
			id, _ := row["id"].(string)
			sessions = append(sessions, sessionRow{engine, id})
			return true
		},
	}
	for _, table := range sqldb.Tables {
		err := w.stream(path.Join(databaseName, table+".jsonl"), 0o600, func(to io.Writer) error {
			return snapshot.WriteTable(ctx, table, to, keep[table])
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return sessions, secrets, nil
}

func (w *writer) folder(name string) error {
	w.items = append(w.items, item{Path: name, Type: typeFolder, Mode: 0o700})
	return w.root.Mkdir(name, 0o700)
}

func (w *writer) file(name string, mode fs.FileMode, content []byte) error {
	return w.stream(name, mode, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
}

// files writes files at their paths below a folder, in folders that it makes.
func (w *writer) files(below string, files map[string][]byte) error {
	made := map[string]bool{}
	for _, name := range sorted(files) {
		if parent := path.Dir(name); parent != "." && !made[parent] {
			made[parent] = true
			if err := w.folder(path.Join(below, parent)); err != nil {
				return err
			}
		}
		if err := w.file(path.Join(below, name), 0o600, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// stream writes a file and adds it to the manifest.
func (w *writer) stream(name string, mode fs.FileMode, write func(to io.Writer) error) error {
	size, digest, err := w.content(name, write)
	w.items = append(w.items, item{Path: name, Type: typeFile, Mode: mode, Size: size, SHA256: digest})
	return err
}

func (w *writer) content(name string, write func(to io.Writer) error) (size int64, digest string, err error) {
	file, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, "", err
	}
	sum, buffered := sha256.New(), bufio.NewWriterSize(&pacedFile{file: file}, 1<<18)
	count := &counter{}
	err = errors.Join(write(io.MultiWriter(buffered, sum, count)), buffered.Flush(), file.Sync(), file.Close())
	return count.bytes, hex.EncodeToString(sum.Sum(nil)), err
}

// pace is how many bytes of a file may wait to reach the disk.
const pace = 1 << 20

// pacedFile sends what is written to the disk while the file grows. Otherwise Sync would send all of it at once, and the commits
// of a database on the same disk would wait behind it.
type pacedFile struct {
	file          *os.File
	written, sent int64
}

func (p *pacedFile) Write(part []byte) (int, error) {
	count, err := p.file.Write(part)
	p.written += int64(count)
	if waiting := p.written - p.sent; err == nil && waiting >= pace {
		const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
		_ = unix.SyncFileRange(int(p.file.Fd()), p.sent, waiting, all) // Sync, at the end, tells what fails
		p.sent = p.written
	}
	return count, err
}

type counter struct{ bytes int64 }

func (c *counter) Write(part []byte) (int, error) {
	c.bytes += int64(len(part))
	return len(part), nil
}

// stores copies the folders of versions.
func (w *writer) stores(ctx context.Context, stores []Store) error {
	if len(stores) == 0 {
		return nil
	}
	if err := w.folder(versionsName); err != nil {
		return err
	}
	made := map[string]bool{}
	for _, one := range stores {
		if parent := path.Join(versionsName, path.Dir(one.Name)); !made[parent] {
			made[parent] = true
			if err := w.folder(parent); err != nil {
				return err
			}
		}
		if err := w.store(ctx, path.Join(versionsName, one.Name), one); err != nil {
			return err
		}
	}
	return nil
}

// storePasses is how often a folder of versions is copied that is rewritten meanwhile, which a server does at most every few minutes.
const storePasses = 5

func (w *writer) store(ctx context.Context, to string, from Store) error {
	if err := w.folder(to); err != nil {
		return err
	}
	var err error
	for range storePasses {
		var items []item
		err = from.Copy(ctx, func(name string, content io.Reader) error {
			path := path.Join(to, name)
			size, digest, err := w.content(path, func(to io.Writer) error {
				_, err := io.Copy(to, content)
				return err
			})
			items = append(items, item{Path: path, Type: typeFile, Mode: 0o600, Size: size, SHA256: digest})
			return err
		})
		if err == nil {
			w.items = append(w.items, items...)
			return nil
		}
		for _, one := range items {
			err = errors.Join(err, w.root.Remove(one.Path))
		}
		if !errors.Is(err, ErrAgain) {
			return err
		}
	}
	return err
}

// session copies the work of a session.
func (w *writer) session(ctx context.Context, name string, found Session) error {
	if err := w.folder(name); err != nil {
		return err
	}
	if err := w.files(name, found.Files); err != nil || found.Folder == "" {
		return err
	}
	from, err := os.OpenRoot(found.Folder)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, tree := range found.Trees {
		if err := w.tree(ctx, from, tree, name); err != nil {
			return err
		}
	}
	return nil
}
