package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/unpack"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
)

// fetchTime is the maximum time for a dataset that keeps arriving.
const fetchTime = 6 * time.Hour

// The parts of a cached dataset.
const (
	downloadName = "download"     // the file in transfer; removed if it was an archive
	contentName  = "content"      // what sessions see
	aboutName    = "dataset.json" // its origin
)

// about describes a cached dataset for operators.
type about struct {
	URL       string
	SHA256    string `json:",omitempty"` // of one file
	Bytes     int64
	FetchedAt time.Time
	Files     []aboutFile `json:",omitempty"` // of an archive's record
}

// keyOf returns the key of a dataset from elsewhere.
func keyOf(dataset engine.Dataset) string {
	if dataset.Key != "" {
		return cache.KeyOf(dataset.Key)
	}
	return cache.KeyOf(dataset.URL)
}

// fetch returns the path of a dataset from elsewhere. It is fetched once: all sessions see the same copy until the
// cache removes it.
func (s *Store) fetch(ctx context.Context, session Session, dataset engine.Dataset, tell func(string)) (string, error) {
	key, name := keyOf(dataset), engine.Shorten(dataset.Name, 80)
	told, hear := s.cache.Share(key, func(detail string) { tell("“" + name + "”: " + detail) })
	unlock, err := s.cache.Lock(ctx, key, hear)
	if err != nil {
		return "", err
	}
	defer unlock()
	session.Pin(key)
	content := filepath.Join(s.cache.Path(key), contentName)
	if s.cache.Has(key) {
		told("kept from before")
		return content, s.cache.Touch(key)
	}
	if dataset.Unavailable != "" { // it was kept when the launch began
		return "", fault.New(fault.Unavailable, "%s", dataset.Unavailable)
	}
	if s.options.Web == nil {
		return "", fault.New(fault.Unavailable, "The dataset “%s” couldn't be fetched: this server doesn't fetch datasets.", name)
	}
	root, err := s.cache.Create(key, 0)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if len(dataset.Files) > 0 {
		err = s.fetchFiles(ctx, session, root, dataset, told)
	} else {
		err = s.fetchInto(ctx, session, root, dataset.URL, told)
	}
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err == nil {
		return content, s.cache.Complete(key)
	}
	if len(dataset.Files) > 0 { // nobody reads what isn't what the archive says
		err = errors.Join(err, s.cache.Drop(key))
	}
	if folders.IsFull(err) {
		return "", err
	}
	if _, told := errors.AsType[*fault.Fault](err); told {
		return "", fault.Wrap(err, fault.Unavailable, "The dataset “%s” couldn't be fetched: %s", name, fault.MessageOf(err))
	}
	return "", fault.Wrap(err, fault.Unavailable, "The dataset “%s” couldn't be fetched, or its archive is damaged.", name)
}

// fetchInto writes the file, or its content if it is an archive, and a description.
func (s *Store) fetchInto(ctx context.Context, session Session, root *os.Root, address string, tell func(string)) error {
	file, err := root.OpenFile(downloadName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	digest, most := sha256.New(), s.most()
	kept := about{URL: address, FetchedAt: s.options.Now().UTC()}
	tell("asked for")
	_, err = s.options.Web.Download(ctx, safehttp.Request{
		Address: address, MaxBytes: most, Timeout: fetchTime, Stall: s.options.Stall,
	}, io.MultiWriter(file, digest), func(done, total int64) {
		kept.Bytes = done
		tell(progressText(done, total))
	})
	if err != nil {
		return err
	}
	kept.SHA256 = hex.EncodeToString(digest.Sum(nil))
	session.Log(fmt.Sprintf("Fetched %s: %d bytes, SHA-256 %s", address, kept.Bytes, kept.SHA256))
	if kind := archiveKind(address); kind == "" {
		err = errors.Join(file.Chmod(0o444), root.Rename(downloadName, contentName))
	} else {
		err = s.unpackDownload(ctx, root, file, kept.Bytes, kind, tell)
	}
	if err != nil {
		return err
	}
	return writeAbout(root, kept)
}

// most is how many bytes a dataset may have.
func (s *Store) most() int64 { return cmp.Or(s.options.MostBytes, s.options.CacheBytes) }

// unpackDownload replaces an archive by its content.
func (s *Store) unpackDownload(ctx context.Context, root *os.Root, file *os.File, length int64, kind unpack.Kind, tell func(string)) error {
	// Real archives hardly compress better than this, and small ones may be all zeros.
	unpacking := unpack.New(ctx, unpack.Options{
		Most: min(s.most(), max(1<<30, 200*length)), Lacks: s.options.Lacks, Full: errDiskFull(),
		Tell: func(written int64) { tell("unpacked " + progressText(written, 0)) },
	})
	return errors.Join(unpackInto(root, unpacking, file, length, kind), root.Remove(downloadName))
}

func errDiskFull() error {
	return diagnosis.With(fault.New(fault.Unavailable, "%s", folders.DiskFull), diagnosis.DiskFull)
}

func writeAbout(root *os.Root, kept about) error {
	text, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	return root.WriteFile(aboutName, text, 0o600)
}

// progressText shows whole percents of large files, and whole MiB if the length isn't known: a trickle isn't progress.
func progressText(done, total int64) string {
	if total > 0 {
		return fmt.Sprintf("%d %% of %s", 100*done/total, humanize.Bytes(total))
	}
	return fmt.Sprintf("%d MiB", done>>20)
}

// archiveKind recognizes an archive by the name in its address.
func archiveKind(address string) unpack.Kind {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return unpack.KindOf(path.Base(parsed.Path))
}

// unpackInto writes the content of an archive below a folder that sessions read.
func unpackInto(root *os.Root, unpacking *unpack.Unpacker, file *os.File, length int64, kind unpack.Kind) error {
	if err := folders.Share(root, contentName); err != nil {
		return err
	}
	content, err := root.OpenRoot(contentName)
	if err != nil {
		return err
	}
	defer content.Close()
	return unpacking.Unpack(content, file, length, kind)
}
