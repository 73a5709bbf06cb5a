package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/content/kept"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/versions"
	"cairn/internal/operations/backup"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/site"

	"golang.org/x/sys/unix"
)

// publicMeta are the rows of the table meta that aren't secrets. A new one is a secret until it is named here.
var publicMeta = []string{"demo"}

// Backup writes everything that this installation has into an empty folder, while its server may run. Keys are only in it with
// a passphrase.
//
// The versions of hubs are in it with hubs set; else out says where they are.
func Backup(ctx context.Context, settings config.Config, configFile, folder, passphrase, version string, hubs bool, out io.Writer) error {
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		files, err := siteFiles(settings.Site)
		if err != nil {
			return err
		}
		if files["config.yaml"], err = config.WithoutSecrets(configFile); err != nil {
			return err
		}
		keys, err := keyFiles(settings.Data)
		if err != nil {
			return err
		}
		engines := settings.LocalEngines()
		stores, err := versionStores(settings, engines)
		if err != nil {
			return err
		}
		kept, err := contentStores(settings)
		if err != nil {
			return err
		}
		ofHubs, err := openHubHistories(ctx, settings, hubs, out)
		if err != nil {
			return err
		}
		summary, err := backup.Write(ctx, folder, backup.Options{
			DB: db, Files: files, Stores: slices.Concat(stores, kept, ofHubs.stores), Keys: backup.Keys{Files: keys}, PublicMeta: publicMeta, Passphrase: passphrase,
			Header: backup.Header{Version: version, PublicURL: settings.PublicURL, Issuer: settings.OIDC.Issuer},
			Sessions: func(engine, id string) (backup.Session, bool, error) {
				if !slices.Contains(engines, engine) {
					return ofHubs.session(ctx, engine, id)
				}
				return localSession(settings, engine, id)
			},
		})
		if err != nil {
			return err
		}
		printBackup(out, folder, summary)
		return installation.WriteBackup(settings.Data, installation.LastBackup{At: summary.At, Folder: folder, Bytes: summary.Bytes})
	})
}

func printBackup(out io.Writer, folder string, summary backup.Summary) {
	fmt.Fprintf(out, "Backed up to %s: the database at %s, the work of sessions (%d) and the files of entries; %d files, %s.\n",
		folder, summary.At.Format(time.DateTime+" MST"), summary.Sessions, summary.Files, humanize.Bytes(summary.Bytes))
	if !summary.HasKeys {
		fmt.Fprintln(out, "Without --passphrase-file the keys are left out: after a restore, people who sign in at the embedded identity provider sign in again.")
	}
	fmt.Fprintln(out, "The key of people's connections with code hosts (secrets.key_file, or secrets.key in the data folder) is never in a backup: copy it yourself, or people connect again after a restore.")
	for _, name := range summary.Changing {
		fmt.Fprintf(out, "%s was written to all the time; it is in the backup as it was at some moment.\n", name)
	}
}

// localSession finds the folder of a session of a local engine.
func localSession(settings config.Config, engine, id string) (found backup.Session, here bool, err error) {
	for _, place := range []string{filepath.Join(settings.Data, "sessions"), settings.SessionsFolder()} {
		folder := filepath.Join(place, engine, id)
		files, trees, err := localjupyter.Portable(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return found, false, fault.Wrap(err, fault.Internal, "The record of the session in %s can't be read.", folder)
		}
		return backup.Session{Folder: folder, Trees: trees, Files: files}, true, nil
	}
	return found, false, nil
}

// versionStores are the folders of versions of the local engines, which the server may have open.
func versionStores(settings config.Config, engines []string) (stores []backup.Store, err error) {
	for _, engine := range engines {
		parent := filepath.Join(settings.Data, installation.VersionsName, engine)
		entries, err := os.ReadDir(parent)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.Internal, "The versions in %s can't be read.", parent)
		}
		for _, entry := range entries {
			if !entry.IsDir() {
				continue
			}
			stores = append(stores, storeIn(engine+"/"+entry.Name(), filepath.Join(parent, entry.Name())))
		}
	}
	return stores, nil
}

// storeIn is a store of versions in a folder, which a server may have open.
func storeIn(name, folder string) backup.Store {
	return backup.Store{Name: name, Copy: func(ctx context.Context, pass func(name string, content io.Reader) error) error {
		err := versions.CopyForeign(ctx, folder, pass)
		if errors.Is(err, versions.ErrSwept) {
			err = fmt.Errorf("%w: %w", backup.ErrAgain, err)
		}
		return err
	}}
}

// contentPrefix begins the names of stores with the files of entries. No engine is called so.
const contentPrefix = ".content/"

// contentStores are the files of entries that this server keeps. Uploads that aren't used yet stay out: whoever sends them has them.
func contentStores(settings config.Config) (stores []backup.Store, err error) {
	folder, _ := settings.ContentFolder()
	found, err := kept.Stores(installation.ContentStores(folder))
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The kept files in %s can't be read.", folder)
	}
	for id, path := range found {
		stores = append(stores, storeIn(contentPrefix+id, path))
	}
	slices.SortFunc(stores, func(one, other backup.Store) int { return strings.Compare(one.Name, other.Name) })
	return stores, nil
}

// placeOf returns where a store of a backup belongs in a data folder.
func placeOf(data, store string) string {
	if id, ok := strings.CutPrefix(store, contentPrefix); ok && sqldb.IsID(id) {
		return kept.StoreIn(installation.ContentStores(filepath.Join(data, config.ContentName)), id)
	}
	return filepath.Join(data, installation.VersionsName, filepath.FromSlash(store))
}

// siteFiles returns the site file and what lies beside it that it may name, by their path in the backup.
func siteFiles(name string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if name == "" {
		return files, nil
	}
	names := []string{filepath.Base(name)}
	entries, err := os.ReadDir(filepath.Dir(name))
	for _, entry := range entries {
		if site.IsPictureName(entry.Name()) && entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	for _, one := range names {
		var content []byte
		if err == nil {
			content, err = os.ReadFile(filepath.Join(filepath.Dir(name), one))
		}
		files["site/"+one] = content
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The site file %s can't be backed up: %s.", name, humanize.Reason(err))
	}
	return files, nil
}

// keyFiles returns the files of the embedded identity provider, by their path in the data folder.
func keyFiles(data string) (map[string][]byte, error) {
	keys := map[string][]byte{}
	entries, err := os.ReadDir(filepath.Join(data, "idp"))
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	for _, entry := range entries {
		if err == nil && entry.Type().IsRegular() {
			keys["idp/"+entry.Name()], err = os.ReadFile(filepath.Join(data, "idp", entry.Name()))
		}
	}
	return keys, err
}

// Restore makes an installation from a backup: a data folder that must not have anything in it yet, and an empty database.
// Everything is checked before the first write, and the data folder gets its name last.
func Restore(ctx context.Context, folder, data, databaseURL, passphrase string, out io.Writer) error {
	found, err := backup.Open(ctx, folder)
	if err != nil {
		return err
	}
	defer found.Close()
	restored := restoration{Backup: found, databaseURL: databaseURL, withKeys: passphrase != ""}
	if restored.data, err = filepath.Abs(data); err != nil {
		return err
	}
	if restored.config, err = found.Read("config.yaml"); err != nil {
		return err
	}
	var keys backup.Keys
	if restored.withKeys {
		if keys, err = found.Keys(passphrase); err != nil {
			return err
		}
	}
	if err := mustBeEmpty(data); err != nil {
		return err
	}
	partial := restored.data + ".restoring"
	if err := mustBeMovable(data, partial); err != nil {
		return err
	}
	if err := os.Mkdir(partial, 0o700); err != nil {
		return restoreFault(err, partial)
	}
	if err := restoreInto(ctx, found, keys, partial, databaseURL); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	if err := os.Remove(data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, os.RemoveAll(partial))
	}
	if err := os.Rename(partial, data); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	_, err = io.WriteString(out, strings.Join(restored.report(), "\n")+"\n")
	return err
}

// restoreFault says what to do when a folder can't be made or read for a restore.
func restoreFault(err error, folder string) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Invalid, "The folder %s can't be used: %s. Restore as root, and then give the data folder to the account that the "+
			"server runs as. Nothing was changed.", folder, humanize.Reason(err))
	case errors.Is(err, unix.EBUSY):
		return fault.Wrap(err, fault.Invalid, "The folder %s is where a disk is mounted, and a restore makes the folder anew. Restore into a new folder on that "+
			"disk, or mount it one level higher. Nothing was changed.", folder)
	case errors.Is(err, fs.ErrExist):
		return fault.Wrap(err, fault.Invalid, "The folder %s is of a restore that was interrupted or still runs. If none runs, remove it and restore again. Nothing was changed.", folder)
	}
	return installation.DataFault(err, folder)
}

func mustBeEmpty(data string) error {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return restoreFault(err, data)
	}
	if len(entries) > 0 {
		return fault.New(fault.Invalid, "The folder %s isn't empty. A backup is restored into a new one; nothing was changed.", data)
	}
	return nil
}

// mustBeMovable finds out before the work whether the empty folder can be replaced at its end: not where a disk is mounted.
func mustBeMovable(data, partial string) error {
	err := os.Rename(data, partial)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return restoreFault(err, partial)
	}
	if err != nil {
		return restoreFault(err, data)
	}
	return os.Rename(partial, data)
}

func restoreInto(ctx context.Context, found *backup.Backup, keys backup.Keys, data, databaseURL string) error {
	for _, session := range found.Sessions() {
		if err := found.CopyTo(ctx, session, filepath.Join(data, "sessions", filepath.FromSlash(session))); err != nil {
			return err
		}
	}
	for _, store := range found.Stores() {
		if err := found.CopyStoreTo(ctx, store, placeOf(data, store)); err != nil {
			return err
		}
	}
	for name, content := range keys.Files {
		path := filepath.Join(data, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if databaseURL == "" {
		databaseURL = "sqlite:" + filepath.Join(data, "cairn.db")
	}
	db, err := sqldb.OpenAt(ctx, databaseURL, time.Now, found.Schema)
	if err != nil {
		return err
	}
	defer db.Close()
	if empty, err := db.IsEmpty(ctx); err != nil || !empty {
		return errors.Join(err, fault.New(fault.Conflict, "The database isn't empty. A backup is restored into a new one; nothing was changed."))
	}
	if err := found.LoadDatabase(ctx, db, keys); err != nil {
		return err
	}
	return db.Upgrade(ctx)
}
