package uploads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/tus/tusd/v2/pkg/filestore"
	"github.com/tus/tusd/v2/pkg/handler"
	"golang.org/x/sys/unix"
)

// Permissions of the folder and of what is in it, which this server alone reads.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// The codes with which faults of ours pass through the library.
const (
	codeFull = "ERR_CAIRN_DISK_FULL"
	codeDisk = "ERR_CAIRN_DISK"
)

// disk keeps the bytes of uploads as the library's store for files does. It computes their digest as they arrive, and
// syncs them before the last answer.
type disk struct {
	filestore.FileStore

	noted func(ctx context.Context, id, digest string) error // is called after each part, with the digest once all is there

	mu      sync.Mutex
	digests map[string]*digest // of uploads whose parts arrive here; protected by mu
}

// digest is that of the first bytes of an upload. Its upload's lock protects it.
type digest struct {
	hash   hash.Hash
	offset int64
}

func newDisk(folder string, noted func(ctx context.Context, id, digest string) error) *disk {
	files := filestore.New(folder)
	files.DirModePerm, files.FileModePerm = folderMode, fileMode
	return &disk{FileStore: files, noted: noted, digests: map[string]*digest{}}
}

// NewUpload implements handler.DataStore.
func (d *disk) NewUpload(ctx context.Context, info handler.FileInfo) (handler.Upload, error) {
	made, err := d.FileStore.NewUpload(ctx, info)
	return d.of(info.ID, made), explainDisk(err)
}

// GetUpload implements handler.DataStore.
func (d *disk) GetUpload(ctx context.Context, id string) (handler.Upload, error) {
	found, err := d.FileStore.GetUpload(ctx, id)
	return d.of(id, found), err
}

// AsTerminatableUpload implements handler.TerminaterDataStore.
func (d *disk) AsTerminatableUpload(upload handler.Upload) handler.TerminatableUpload {
	if own, ok := upload.(*stored); ok {
		d.forget(own.id)
		return d.FileStore.AsTerminatableUpload(own.Upload)
	}
	return d.FileStore.AsTerminatableUpload(upload)
}

func (d *disk) of(id string, upload handler.Upload) handler.Upload { return &stored{upload, d, id} }

func (d *disk) path(id string) string { return filepath.Join(d.Path, id) }

func (d *disk) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.digests, id)
}

// digestUpTo returns the digest of the first bytes of an upload, which it reads if they arrived elsewhere or before a restart.
func (d *disk) digestUpTo(id string, offset int64) (*digest, error) {
	d.mu.Lock()
	known := d.digests[id]
	if known == nil || known.offset > offset {
		known = &digest{hash: sha256.New()}
		d.digests[id] = known
	}
	d.mu.Unlock()
	if known.offset == offset {
		return known, nil
	}
	file, err := os.Open(d.path(id))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read, err := io.Copy(known.hash, io.NewSectionReader(file, known.offset, offset-known.offset))
	known.offset += read
	if err == nil && known.offset != offset {
		err = io.ErrUnexpectedEOF
	}
	return known, err
}

// complete syncs an upload of a size, and returns its digest.
func (d *disk) complete(id string, size int64) (string, error) {
	known, err := d.digestUpTo(id, size)
	if err != nil {
		return "", err
	}
	file, err := os.OpenFile(d.path(id), os.O_RDWR, fileMode)
	if err != nil {
		return "", err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return "", err
	}
	d.forget(id)
	return hex.EncodeToString(known.hash.Sum(nil)), nil
}

// received returns how many bytes of an upload have arrived.
func (d *disk) received(id string) int64 {
	about, err := os.Stat(d.path(id))
	if err != nil {
		return 0
	}
	return about.Size()
}

// remove deletes the files of an upload.
func (d *disk) remove(id string) error {
	d.forget(id)
	var faults []error
	for _, path := range []string{d.path(id), d.path(id) + ".info"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// stored is an upload on the disk.
type stored struct {
	handler.Upload

	disk *disk
	id   string
}

// WriteChunk implements handler.Upload.
func (s *stored) WriteChunk(ctx context.Context, offset int64, from io.Reader) (int64, error) {
	known, err := s.disk.digestUpTo(s.id, offset)
	if err != nil {
		return 0, explainDisk(err)
	}
	written, err := s.Upload.WriteChunk(ctx, offset, &digesting{Reader: from, hash: known.hash, early: s.disk.writeEarly(s.id, offset)})
	if known.offset = offset + written; err != nil { // more may have been read than written
		s.disk.forget(s.id)
	}
	if noted := s.disk.noted(context.WithoutCancel(ctx), s.id, ""); err == nil {
		err = noted
	}
	return written, explainDisk(err)
}

// How much is read, digested and written at once, and after how much the system is asked to begin writing to the disk.
const (
	blockBytes = 256 << 10
	earlyBytes = 8 << 20
)

// digesting is a part of an upload, which is digested while it is written.
type digesting struct {
	io.Reader // the part

	hash  hash.Hash
	early func(written int64) // is told how much of the part was written
}

// WriteTo implements io.WriterTo: a block is digested while it is written, and the next one read.
func (d *digesting) WriteTo(to io.Writer) (written int64, err error) {
	blocks := [2][]byte{make([]byte, blockBytes), make([]byte, blockBytes)}
	var digested sync.WaitGroup
	defer digested.Wait()
	for i := 0; ; i = 1 - i {
		read, failed := d.Read(blocks[i])
		digested.Wait()
		block := blocks[i][:read]
		digested.Go(func() { _, _ = d.hash.Write(block) })
		done, err := to.Write(block)
		if written += int64(done); err != nil {
			return written, err
		}
		d.early(written)
		switch {
		case errors.Is(failed, io.EOF):
			return written, nil
		case failed != nil:
			return written, failed
		}
	}
}

// writeEarly returns what begins to write a part, which begins at an offset, to the disk before it is synced: else that waits for all of it.
func (d *disk) writeEarly(id string, offset int64) func(written int64) {
	begun := int64(0)
	return func(written int64) {
		if written-begun < earlyBytes {
			return
		}
		if file, err := os.Open(d.path(id)); err == nil {
			_ = unix.SyncFileRange(int(file.Fd()), offset+begun, written-begun, unix.SYNC_FILE_RANGE_WRITE)
			_ = file.Close()
		}
		begun = written
	}
}

// FinishUpload implements handler.Upload.
func (s *stored) FinishUpload(ctx context.Context) error {
	info, err := s.GetInfo(ctx)
	if err != nil {
		return err
	}
	sum, err := s.disk.complete(s.id, info.Size)
	if err != nil {
		return explainDisk(err)
	}
	return s.disk.noted(context.WithoutCancel(ctx), s.id, sum)
}

// explainDisk says in the library's words that a disk is full.
func explainDisk(err error) error {
	_, known := errors.AsType[handler.Error](err)
	switch {
	case err == nil, known:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return handler.NewError(codeFull, err.Error(), 507)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return handler.NewError(codeDisk, err.Error(), 500)
	}
	return err
}
