package preview

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/content/notebook"
	"cairn/internal/foundation/fault"
)

const smallNotebook = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"markdown","metadata":{},"source":"text"}]}`

// Floods: a notebook is read and rendered once for all who ask at the same time, and parts that don't exist cost
// nothing.
func TestRenderedOnceForAll(t *testing.T) {
	t.Parallel()
	renderer, err := notebook.New(notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept := newRenderedNotebooks(renderer)
	var reads atomic.Int32
	read := func() ([]byte, error) {
		reads.Add(1)
		return []byte(smallNotebook), nil
	}
	var readers sync.WaitGroup
	for number := range 50 {
		readers.Go(func() {
			document, err := kept.part(t.Context(), "digest", "", number, read)
			if (number == 1) != (err == nil) || (number == 1) != strings.Contains(string(document.HTML), "text") {
				t.Errorf("part %d: %v %s", number, err, document.HTML)
			}
			if number != 1 && fault.KindOf(err) != fault.NotFound {
				t.Errorf("part %d: %v, want that there is none", number, err)
			}
		})
	}
	readers.Wait()
	if got := reads.Load(); got > 50/2 {
		t.Errorf("read %d times", got)
	}
	before := reads.Load()
	for number := range 50 {
		_, _ = kept.part(t.Context(), "digest", "", number, read)
	}
	if reads.Load() != before {
		t.Errorf("read again %d times", reads.Load()-before)
	}
}

func TestRenderedNotebooksAreBounded(t *testing.T) {
	t.Parallel()
	kept := newRenderedNotebooks(nil)
	html := make([]byte, renderedBytes/5)
	for i := range 8 {
		kept.keep(renderedKey{fmt.Sprint(i), "", 1}, notebook.Document{HTML: html})
		kept.keep(renderedKey{fmt.Sprint(i), "", 1}, notebook.Document{HTML: html}) // writing twice counts once
	}
	expect := func(parts, bytes int, digest string) {
		t.Helper()
		if kept.recent.Len() != parts || kept.bytes != bytes || !kept.recent.Contains(renderedKey{digest, "", 1}) {
			t.Errorf("%d kept with %d bytes, want %d with %d and %s among them", kept.recent.Len(), kept.bytes, parts, bytes, digest)
		}
	}
	expect(5, 5*len(html), "7")
	large := make([]byte, renderedBytes/2)
	kept.keep(renderedKey{"large", "", 1}, notebook.Document{HTML: large})
	expect(3, 2*len(html)+len(large), "large")
	huge := make([]byte, renderedBytes+1)
	kept.keep(renderedKey{"huge", "", 1}, notebook.Document{HTML: huge})
	expect(1, len(huge), "huge")
	kept.keep(renderedKey{"8", "", 1}, notebook.Document{HTML: html})
	expect(1, len(html), "8")
}

// Whatever a notebook does to the libraries that parse it, its readers get a fault and the server continues.
func TestPanicWhileRendering(t *testing.T) {
	t.Parallel()
	kept := newRenderedNotebooks(nil) // without a renderer, it panics
	_, err := kept.part(t.Context(), "digest", "", 1, func() ([]byte, error) { panic("while it is read") })
	if fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "while it is read") || strings.Contains(fault.MessageOf(err), "while") {
		t.Errorf("got %v", err)
	}
	broken := errors.New("the disk is broken")
	if _, err := kept.part(t.Context(), "digest", "", 1, func() ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	renderer, err := notebook.New(notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newRenderedNotebooks(renderer).part(ended, "digest", "", 1, func() ([]byte, error) { return []byte(smallNotebook), nil }); err != nil {
		t.Errorf("a reader who leaves ends it for the others: %v", err)
	}
}

// Readers of many heavy notebooks wait for a slot while they stay connected, and not forever.
func TestWaitingForASlotEnds(t *testing.T) {
	renderer, err := notebook.New(notebook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept := newRenderedNotebooks(renderer)
	var reads atomic.Int32
	part := func(ctx context.Context, digest string) error {
		_, err := kept.part(ctx, digest, "", 1, func() ([]byte, error) {
			reads.Add(1)
			return []byte(smallNotebook), nil
		})
		return err
	}
	for range cap(kept.slots) {
		kept.slots <- struct{}{}
	}
	kept.slotTime = time.Hour
	leaving, leave := context.WithCancel(t.Context())
	left, stays := make(chan error), make(chan error)
	go func() { left <- part(leaving, "same") }()
	go func() { stays <- part(t.Context(), "same") }()
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) || reads.Load() != 0 {
		t.Errorf("who left got %v after %d reads", err, reads.Load())
	}
	<-kept.slots
	if err := <-stays; err != nil || reads.Load() != 1 {
		t.Errorf("who stayed got %v after %d reads", err, reads.Load())
	}
	kept.slots <- struct{}{}
	kept.slotTime = time.Nanosecond
	if err := part(t.Context(), "other"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without a free slot: %v", err)
	}
}
