package kept

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"cairn/internal/content/uploads"
	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/checksum"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/unpack"
)

const (
	recordTime  = 6 * time.Hour // for all files, as long as they keep arriving
	recordStall = time.Minute
)

// archived are the files of an archive's record.
type archived struct {
	record archives.Record
	web    *safehttp.Client
}

// files are those that everybody can fetch.
func (m archived) files() (found []archives.File) {
	for _, one := range m.record.Files {
		if one.URL != "" {
			found = append(found, one)
		}
	}
	return found
}

// packed returns the kind of the only file if that is an archive: that is how the code of a repository is kept.
func (m archived) packed() unpack.Kind {
	if files := m.files(); len(files) == 1 {
		return unpack.KindOf(files[0].Path)
	}
	return ""
}

func (m archived) total() (sum int64) {
	for _, one := range m.files() {
		sum += max(one.Size, 0)
	}
	return sum
}

func (archived) held() int64 { return 0 }

func (archived) isSlow(catalog.Type) bool { return true }

func (archived) isFile() bool { return false }

// look lists the files alone: what they say is read once they are here.
func (m archived) look(_ context.Context, l *look) error {
	for _, one := range m.files() {
		l.file(one.Path, max(one.Size, 0), nil)
	}
	return nil
}

func (m archived) write(ctx context.Context, g *gatherer, _ catalog.Type) error {
	ctx, cancel := context.WithTimeoutCause(ctx, recordTime, fault.New(fault.Unavailable, "%s takes too long to send all files.", m.record.Archive))
	defer cancel()
	if kind := m.packed(); kind != "" {
		return m.unpack(ctx, g, m.files()[0], kind)
	}
	for _, one := range m.files() {
		name, err := unpack.CleanName(one.Path)
		if err != nil {
			return err
		}
		if wanted, err := g.prepare(name, max(one.Size, 0)); err != nil {
			return err
		} else if !wanted {
			continue
		}
		if err := m.fetch(ctx, g, one, func() (*os.File, error) { return g.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) }); err != nil {
			return err
		}
	}
	return nil
}

// unpack fetches a file beside the folder that gets what is in it.
func (m archived) unpack(ctx context.Context, g *gatherer, one archives.File, kind unpack.Kind) error {
	at := filepath.Join(g.folder, "fetched")
	if err := m.fetch(ctx, g, one, func() (*os.File, error) { return os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) }); err != nil {
		return err
	}
	about, err := os.Stat(at)
	if err != nil {
		return err
	}
	err = g.unpack(ctx, at, uploads.Upload{Filename: path.Base(one.Path), Bytes: about.Size()}, kind)
	return errors.Join(err, os.Remove(at))
}

// fetch writes a file, and checks that it is what the archive says.
func (m archived) fetch(ctx context.Context, g *gatherer, one archives.File, create func() (*os.File, error)) error {
	digest := ""
	if one.Comparable {
		digest = one.Digest.String()
	}
	check, err := checksum.New(one.Size, digest)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s has a checksum of %s that can't be checked here.", m.record.Archive, fault.Quote(one.Path))
	}
	to, err := create()
	if err != nil {
		return err
	}
	arrived, most := int64(0), g.most
	if one.Size < 0 { // the others were counted before
		most -= g.bytes
	}
	_, err = m.web.Download(ctx, safehttp.Request{Address: one.URL, MaxBytes: most, Timeout: recordTime, Stall: recordStall}, io.MultiWriter(check, to), func(done, _ int64) {
		arrived = done
		g.tell(len(g.folded), done)
	})
	if one.Size < 0 {
		g.bytes += arrived
	}
	if err == nil {
		err = check.Check()
	}
	err = errors.Join(err, to.Chmod(0o444), to.Close())
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, checksum.ErrSize):
		return fault.Wrap(err, fault.Unavailable, "%s sends a file %s of another size than the %s that it says. Try again later.", m.record.Archive, fault.Quote(one.Path), humanize.Bytes(one.Size))
	case errors.Is(err, checksum.ErrDigest):
		return fault.Wrap(err, fault.Unavailable, "%s sends another file %s than the one of which it has the checksum. Try again later.", m.record.Archive, fault.Quote(one.Path))
	}
	return err
}

func (archived) release(context.Context) error { return nil }
