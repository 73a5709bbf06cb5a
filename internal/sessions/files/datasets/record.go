package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"

	"cairn/internal/foundation/checksum"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/unpack"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// aboutFile describes a file of a cached record. Its digest is ours: some archives have none of the file that they send.
type aboutFile struct {
	Path   string
	SHA256 string
	Bytes  int64
}

// hasKept reports whether the files of a dataset are here from before, so that its archive isn't needed.
func (s *Store) hasKept(dataset engine.Dataset) bool {
	return dataset.Key != "" && s.cache.Has(keyOf(dataset))
}

// record is the files of an archive while they are fetched.
type record struct {
	store   *Store
	session Session
	root    *os.Root // of the entry in the cache
	files   []engine.RemoteFile
	tell    func(string)
	kept    about
	total   int64 // bytes of all files as the archive says it; 0 if it doesn't
}

// fetchFiles writes the files of an archive's record, or the content of the only one if that is a packed folder, and a description.
func (s *Store) fetchFiles(ctx context.Context, session Session, root *os.Root, dataset engine.Dataset, tell func(string)) error {
	r := record{
		store: s, session: session, root: root, files: dataset.Files, tell: tell,
		kept: about{URL: dataset.Key, FetchedAt: s.options.Now().UTC()},
	}
	for _, file := range r.files {
		if file.Bytes < 0 {
			r.total = 0
			break
		}
		r.total += file.Bytes
		if r.total > s.most() || r.total < 0 {
			return fault.New(fault.Unavailable, "It is larger than %s, the most that is fetched.", humanize.Bytes(s.most()))
		}
	}
	fetch := r.fetchAll
	if kind := unpack.KindOf(r.files[0].Path); len(r.files) == 1 && kind != "" {
		fetch = func(ctx context.Context) error { return r.fetchPacked(ctx, kind) }
	}
	if err := fetch(ctx); err != nil {
		return err
	}
	return writeAbout(root, r.kept)
}

// fetchPacked writes what is in the only file.
func (r *record) fetchPacked(ctx context.Context, kind unpack.Kind) error {
	file, err := r.root.OpenFile(downloadName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := r.fetch(ctx, 0, file); err != nil {
		return err
	}
	return r.store.unpackDownload(ctx, r.root, file, r.kept.Bytes, kind, r.tell)
}

// fetchAll writes the files below the folder that sessions read.
func (r *record) fetchAll(ctx context.Context) error {
	if err := folders.Share(r.root, contentName); err != nil {
		return err
	}
	content, err := r.root.OpenRoot(contentName)
	if err != nil {
		return err
	}
	defer content.Close()
	for number := range r.files {
		if r.store.options.Lacks != nil && r.store.options.Lacks() {
			return errDiskFull()
		}
		if err := r.write(ctx, number, content); err != nil {
			return err
		}
	}
	return nil
}

// write fetches a file into a folder. Its path may be anything, and two may be the same.
func (r *record) write(ctx context.Context, number int, content *os.Root) error {
	name, err := unpack.CleanName(r.files[number].Path)
	if err != nil {
		return err
	}
	if folder := path.Dir(name); folder != "." {
		if err := folders.Share(content, folder); err != nil {
			return clash(err, name)
		}
	}
	file, err := content.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return clash(err, name)
	}
	defer file.Close()
	return errors.Join(r.fetch(ctx, number, file), file.Chmod(0o444))
}

// clash says that a file can't be written beside the others.
func clash(err error, name string) error {
	if folders.IsFull(err) {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "Its file “%s” can't be written beside the others.", engine.Shorten(name, 80))
}

// fetch writes a file and checks that it is what the archive says.
func (r *record) fetch(ctx context.Context, number int, to io.Writer) error {
	file := r.files[number]
	name := engine.Shorten(file.Path, 80)
	theirs, err := checksum.New(file.Bytes, file.Digest)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The archive has a checksum of “%s” that can't be checked here.", name)
	}
	ours, before := sha256.New(), r.kept.Bytes
	r.say(number, 0)
	_, err = r.store.options.Web.Download(ctx, safehttp.Request{
		Address: file.URL, Header: headerOf(file), MaxBytes: r.store.most() - before, Timeout: fetchTime, Stall: r.store.options.Stall,
	}, io.MultiWriter(theirs, to, ours), func(done, _ int64) {
		r.kept.Bytes = before + done
		r.say(number, done)
	})
	if err == nil {
		err = theirs.Check()
	}
	switch {
	case errors.Is(err, checksum.ErrSize):
		return fault.New(fault.Unavailable, "The archive sends a file “%s” of another size than the %d bytes that it says.", name, file.Bytes)
	case errors.Is(err, checksum.ErrDigest):
		return fault.New(fault.Unavailable, "The archive sends another file “%s” than the one of which it has the checksum.", name)
	case err != nil:
		return err
	}
	got, sum := r.kept.Bytes-before, hex.EncodeToString(ours.Sum(nil))
	r.session.Log(fmt.Sprintf("Fetched %s: %d bytes, SHA-256 %s", file.URL, got, sum))
	r.kept.Files = append(r.kept.Files, aboutFile{file.Path, sum, got})
	return nil
}

// headerOf returns what a file is asked for with.
func headerOf(file engine.RemoteFile) http.Header {
	if file.Token == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + file.Token}}
}

// say reports progress.
func (r *record) say(number int, done int64) {
	switch {
	case r.total > 0:
		r.tell(progressText(r.kept.Bytes, r.total))
	case len(r.files) > 1:
		r.tell(fmt.Sprintf("file %d of %d, %s", number+1, len(r.files), progressText(r.kept.Bytes, 0)))
	default:
		r.tell(progressText(done, 0))
	}
}
