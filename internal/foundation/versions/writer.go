package versions

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	writers      = 2
	segmentParts = 64 // chunks that one writer writes
	segmentsMost = 64 // that wait: each has a file open
)

// writing writes the contents of files that a Restore has made: reading and unpacking take longer than that. An open file can
// be written whatever the rights of the writer are.
type writing struct {
	ctx      context.Context //nolint:containedctx // of one Restore
	store    *storeState
	segments chan segment // queued, so that files are made meanwhile
	working  sync.WaitGroup
	files    sync.WaitGroup // that aren't complete

	mu     sync.Mutex
	failed error
}

// output is a file that is being written.
type output struct {
	file int
	node *node
	left atomic.Int32 // segments, and 1 until all are known
}

// segment is a part of a file.
type segment struct {
	output *output
	at     int64
	parts  []part
}

func newWriting(ctx context.Context, store *storeState) *writing {
	w := &writing{ctx: ctx, store: store, segments: make(chan segment, segmentsMost)}
	for range writers {
		w.working.Go(func() {
			near := &window{}
			buffer := make([]byte, 0, chunkMost)
			whole := make([]byte, 0, writeBytes)
			for one := range w.segments {
				if err := w.write(one, near, buffer, whole); err != nil {
					w.fail(err)
				}
				w.end(one.output)
			}
		})
	}
	return w
}

func (w *writing) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failed = err
	}
}

// err returns why something couldn't be written.
func (w *writing) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// begin writes a file, which it closes once it is complete.
func (w *writing) begin(file int, n *node) error {
	w.files.Add(1)
	to := &output{file: file, node: n}
	to.left.Store(1)
	next := segment{output: to}
	at := int64(0)
	send := func() error {
		to.left.Add(1)
		select {
		case w.segments <- next:
		case <-w.ctx.Done():
			w.end(to)
			return w.ctx.Err()
		}
		next = segment{output: to, at: at}
		return w.err()
	}
	err := w.store.parts(n.content, n.size, func(one part) error {
		next.parts = append(next.parts, one)
		at += one.length
		if len(next.parts) == segmentParts {
			return send()
		}
		return nil
	})
	if err == nil && at != n.size {
		err = ErrDamaged
	}
	if err == nil && len(next.parts) > 0 {
		err = send()
	}
	if err != nil {
		w.fail(err)
	}
	w.end(to)
	return w.err()
}

// end ends a part of a file's writing. The last one gives the file its length, permissions and times.
func (w *writing) end(to *output) {
	if to.left.Add(-1) > 0 {
		return
	}
	defer w.files.Done()
	var err error
	if to.node.holes > 0 { // it may end with one
		err = unix.Ftruncate(to.file, to.node.size)
	}
	err = errors.Join(err, unix.Fchmod(to.file, to.node.mode&0o777))
	_ = unix.UtimesNanoAt(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(to.file), to.node.times(), 0)
	if err = errors.Join(err, unix.Close(to.file)); err != nil {
		w.fail(err)
	}
}

// writeBytes is how much is written at a time.
const writeBytes = 512 << 10

// write writes a segment, many chunks at a time.
func (w *writing) write(one segment, near *window, buffer, whole []byte) error {
	waiting, at := whole, one.at // what isn't written yet, and where it goes
	flush := func() error {
		for len(waiting) > 0 {
			count, err := unix.Pwrite(one.output.file, waiting, at)
			if err != nil && !errors.Is(err, unix.EINTR) {
				return err
			}
			at += int64(max(count, 0))
			waiting = waiting[max(count, 0):]
		}
		waiting = whole
		return w.err()
	}
	for _, next := range one.parts {
		if next.digest == (digest{}) {
			if err := flush(); err != nil {
				return err
			}
			at += next.length
			continue
		}
		header, body, err := w.store.read(next.digest, near)
		var content []byte
		if err == nil {
			content, err = header.contentIn(body, buffer)
		}
		if err == nil && int64(len(content)) != next.length {
			err = ErrDamaged
		}
		if err == nil && len(waiting)+len(content) > writeBytes {
			err = flush()
		}
		if err != nil {
			return err
		}
		waiting = append(waiting, content...)
	}
	return flush()
}

// wait waits until all files are complete.
func (w *writing) wait() error {
	w.files.Wait()
	return w.err()
}

func (w *writing) stop() {
	close(w.segments)
	w.working.Wait()
}
