package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"cairn/internal/foundation/memory"
)

const (
	digestsKept   = 10_000         // each of about a hundred bytes
	digestsAtOnce = 2              // computed in the background: the disks are those that sessions use, too
	digestKeeps   = 24 * time.Hour // long past any download
	promptBytes   = 1 << 20        // of files whose digest is computed at once, as quickly as a preview
	settledAfter  = 2 * time.Second
)

// Digest is the SHA-256 of a file.
type Digest [sha256.Size]byte

// version is the state of a file's content. The time of change is the kernel's: unlike that of modification, no program
// can set it back.
type version struct {
	device, inode     uint64
	size              int64
	modified, changed syscall.Timespec
}

func versionOf(file *os.File) (version, error) {
	info, err := file.Stat()
	if err != nil {
		return version{}, err
	}
	about, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return version{}, errors.ErrUnsupported
	}
	return version{about.Dev, about.Ino, about.Size, about.Mtim, about.Ctim}, nil
}

// tag returns the ETag of the content.
func (v version) tag() string {
	return fmt.Sprintf(`"%x-%x-%x-%x"`, v.inode, v.size, v.modified.Nano(), v.changed.Nano())
}

// isSettled reports that another change would be seen in the times, which are coarser than changes can be.
func (v version) isSettled(now time.Time) bool {
	return now.Sub(time.Unix(v.changed.Unix())) > settledAfter
}

// Digests computes digests of files and keeps them for as long as the files don't change.
type Digests struct {
	now    func() time.Time
	prompt int64 // bytes
	known  *memory.Cache[version, Digest]
	busy   sync.Map      // versions that are being read in the background
	slots  chan struct{} // limits those
}

// NewDigests returns a Digests that knows none.
func NewDigests() *Digests {
	return &Digests{
		now: time.Now, prompt: promptBytes, known: memory.New[version, Digest](digestsKept, time.Now), slots: make(chan struct{}, digestsAtOnce),
	}
}

// Of returns the digest of an open file of a tree without reading much: that of a large file is computed in the
// background, and ok is false until it is known.
func (d *Digests) Of(tree *Tree, file *File) (digest Digest, ok bool) {
	state, err := versionOf(file.File)
	if err != nil {
		return digest, false
	}
	digest, _, ok = d.known.Get(state)
	switch {
	case ok:
	case state.size <= d.prompt:
		digest, err = d.compute(file.File, state)
		ok = err == nil
	case state.isSettled(d.now()):
		d.start(tree, file.path, state)
	}
	return digest, ok
}

// start computes the digest of a file in the background, or nothing while enough others are computed: whoever wants it
// asks again.
func (d *Digests) start(tree *Tree, name string, state version) {
	if _, busy := d.busy.LoadOrStore(state, true); busy {
		return
	}
	select {
	case d.slots <- struct{}{}:
	default:
		d.busy.Delete(state)
		return
	}
	done := func() {
		d.busy.Delete(state)
		<-d.slots
	}
	file, err := tree.File(name) // the caller's is closed before this is done
	if err != nil {
		done()
		return
	}
	go func() {
		defer done()
		defer file.Close()
		_, _ = d.compute(file.File, state)
	}()
}

var errChanged = errors.New("the file changed while it was read")

// compute reads a version of a file, and keeps its digest if no change of the file could go unseen.
func (d *Digests) compute(file *os.File, state version) (digest Digest, err error) {
	_, generation, _ := d.known.Get(state)
	settled := state.isSettled(d.now())
	hash := sha256.New()
	// Reading leaves the offset to the download, and ends where the version does, however much the file grows.
	read, err := io.Copy(hash, io.NewSectionReader(file, 0, state.size))
	if err != nil {
		return digest, err
	}
	after, err := versionOf(file)
	switch {
	case err != nil:
		return digest, err
	case after != state || read != state.size:
		return digest, errChanged
	}
	digest = Digest(hash.Sum(nil))
	if settled {
		d.known.Put(state, digest, d.now().Add(digestKeeps), generation)
	}
	return digest, nil
}
