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
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Backup is a backup whose files are all there and as they were written.
type Backup struct {
	Header

	HasKeys bool
	root    *os.Root
	items   []item
}

// Open opens a backup and verifies every file of it. It must be closed.
func Open(ctx context.Context, folder string) (*Backup, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, unusable(folder, err)
	}
	b := &Backup{root: root}
	if b.Header, b.items, err = readManifest(root); err == nil {
		err = b.verify(ctx)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return b, nil
}

// Close closes the backup's folder.
func (b *Backup) Close() error { return b.root.Close() }

func (b *Backup) verify(ctx context.Context) error {
	for _, one := range b.items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.verifyItem(one); err != nil {
			return err
		}
		b.HasKeys = b.HasKeys || one.Path == keysName
	}
	return nil
}

func (b *Backup) verifyItem(one item) error {
	about, err := b.root.Lstat(one.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "The backup isn't complete: %s is missing.", fault.Quote(one.Path))
	}
	if err != nil {
		return err
	}
	differs := fault.New(fault.Invalid, "The backup was changed or is damaged: %s isn't what the manifest says.", fault.Quote(one.Path))
	switch {
	case one.Type == typeFolder && about.IsDir():
		return nil
	case one.Type == typeLink && about.Mode().Type() == fs.ModeSymlink:
		if target, err := b.root.Readlink(one.Path); err != nil || target != one.Target {
			return differs
		}
		return nil
	case one.Type == typeFile && about.Mode().IsRegular() && about.Size() == one.Size:
		digest, err := b.digest(one.Path)
		if err != nil || digest == one.SHA256 {
			return err
		}
	}
	return differs
}

func (b *Backup) digest(name string) (string, error) {
	file, err := b.root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// Read returns a file of the backup.
func (b *Backup) Read(name string) ([]byte, error) { return b.root.ReadFile(name) }

// Keys decrypts the keys of the backup.
func (b *Backup) Keys(passphrase string) (Keys, error) {
	if !b.HasKeys {
		return Keys{}, fault.New(fault.Invalid, "This backup was made without a passphrase, so it has no keys. Leave --passphrase-file out.")
	}
	sealed, err := b.root.ReadFile(keysName)
	if err != nil {
		return Keys{}, err
	}
	return openKeys(sealed, passphrase)
}

// LoadDatabase fills an empty database whose tables have the backup's version. All or nothing is written.
func (b *Backup) LoadDatabase(ctx context.Context, db *sqldb.DB, keys Keys) error {
	return db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, table := range sqldb.Tables {
			file, err := b.root.Open(path.Join(databaseName, table+".jsonl"))
			if errors.Is(err, fs.ErrNotExist) {
				continue // a table that is newer than the backup
			}
			if err != nil {
				return err
			}
			err = errors.Join(tx.LoadTable(ctx, table, bufio.NewReader(file)), file.Close())
			if err != nil {
				return err
			}
		}
		for _, name := range sorted(keys.Meta) {
			if err := tx.InsertRows(ctx, "meta", []string{"key", "value"}, [][]any{{name, keys.Meta[name]}}, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sessions returns the sessions whose work is in the backup, as ENGINE/ID.
func (b *Backup) Sessions() (names []string) { return b.below(sessionsName) }

// Stores returns the folders of versions that are in the backup, as ENGINE/OWNER.
func (b *Backup) Stores() (names []string) { return b.below(versionsName) }

func (b *Backup) below(folder string) (names []string) {
	for _, one := range b.items {
		name, ok := strings.CutPrefix(one.Path, folder+"/")
		if ok && one.Type == typeFolder && strings.Count(name, "/") == 1 {
			names = append(names, name)
		}
	}
	return names
}

// CopyTo copies a session of Sessions into a folder that doesn't exist yet, with its modes and times. It writes
// through no link.
func (b *Backup) CopyTo(ctx context.Context, session, folder string) error {
	return b.copyFolder(ctx, path.Join(sessionsName, session), folder)
}

// CopyStoreTo copies one of Stores likewise.
func (b *Backup) CopyStoreTo(ctx context.Context, store, folder string) error {
	return b.copyFolder(ctx, path.Join(versionsName, store), folder)
}

func (b *Backup) copyFolder(ctx context.Context, from, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	to, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer to.Close()
	below := from + "/"
	var folders []item
	for _, one := range b.items {
		name, inside := strings.CutPrefix(one.Path, below)
		if !inside {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if one.Type == typeFolder {
			folders = append(folders, one)
		}
		if err := b.copyItem(one, to, name); err != nil {
			return err
		}
	}
	for _, one := range slices.Backward(folders) { // when nothing is written into them anymore
		if err := finish(one, to, strings.TrimPrefix(one.Path, below)); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backup) copyItem(one item, to *os.Root, name string) error {
	switch one.Type {
	case typeFolder:
		return to.Mkdir(name, 0o700)
	case typeLink:
		return to.Symlink(one.Target, name)
	}
	from, err := b.root.Open(one.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return finish(one, to, name)
}

// finish gives a file or folder its mode and time. It belongs to this server; engines hand it over when they start a session.
func finish(one item, to *os.Root, name string) error {
	err := to.Chmod(name, one.Mode.Perm())
	if !one.Time.IsZero() {
		err = errors.Join(err, to.Chtimes(name, one.Time, one.Time))
	}
	return err
}
