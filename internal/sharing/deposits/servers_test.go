package deposits_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/foundation/fault"
	"cairn/internal/sharing/deposits"
)

// TestAServerThatWasSlowFindsThatAnotherWentOn: the first one stops in the middle of an upload for longer than it holds the deposit.
func TestAServerThatWasSlowFindsThatAnotherWentOn(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		begun := w.begin(id)
		stopped, goesOn := make(chan struct{}), make(chan struct{})
		var first atomic.Bool
		w.stand.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut && first.CompareAndSwap(false, true) {
				close(stopped)
				<-goesOn
			}
			return false
		})
		slow, ended := w.server, make(chan struct{})
		ctx := w.ctx
		go func() {
			defer close(ended)
			_, _ = slow.WorkOnce(ctx) // whatever comes of it isn't stored
		}()
		<-stopped
		if worked, err := w.server.WorkOnce(w.ctx); worked || err != nil {
			w.T.Errorf("two servers work on it: %v", err)
		}
		w.pass(2 * time.Minute)
		w.start(0)
		if draft := w.settle(id, begun.ID); draft.State != deposits.Draft {
			w.T.Fatalf("%+v %+v", draft, draft.Problem)
		}
		_, err := w.server.Publish(w.As(ada), id, begun.ID)
		w.must(err)
		done := w.settle(id, begun.ID)
		close(goesOn)
		<-ended
		if after := w.get(id, begun.ID); after.State != deposits.Published || after.DOI != done.DOI || after.Problem != nil || len(w.stand.Deposits()) != 1 {
			w.T.Errorf("%+v %+v", after, w.stand.Deposits())
		}
	})
}

func TestAServerThatEndsGivesBackWhatItHas(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		begun := w.begin(id)
		ctx, end := context.WithCancel(w.T.Context())
		w.stand.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				end()
			}
			return false
		})
		_, err := w.server.WorkOnce(ctx)
		w.must(err)
		w.stand.Disturb(nil)
		if still := w.get(id, begun.ID); still.State != deposits.Uploading || still.Problem != nil {
			w.T.Errorf("%+v", still)
		}
		w.start(0)
		if worked, err := w.server.WorkOnce(w.ctx); !worked || err != nil { // at once
			w.T.Errorf("%v %v", worked, err)
		}
		if draft := w.get(id, begun.ID); draft.State != deposits.Draft || len(w.stand.Deposits()) != 1 {
			w.T.Errorf("%+v", draft)
		}
	})
}

// TestADraftIsKnownBeforeAnythingIsDoneWithIt: the archive never finds it by its mark, and the server is killed at the first upload.
func TestADraftIsKnownBeforeAnythingIsDoneWithIt(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		begun := w.begin(id)
		first := w.life
		w.stand.Disturb(func(to http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				first.kill()
			}
			if !r.URL.Query().Has("sort") {
				return false
			}
			fmt.Fprint(to, map[archives.Kind]string{archives.KindZenodo: "[]", archives.KindInvenioRDM: `{"hits": {"hits": []}}`}[w.stand.Archive().Kind])
			return true
		})
		if draft := w.settle(id, begun.ID); draft.State != deposits.Draft || len(w.stand.Deposits()) != 1 || !first.isDead() {
			w.T.Errorf("%+v %d", draft, len(w.stand.Deposits()))
		}
	})
}

func TestADiscardedDraftIsGoneWhereverAServerIsKilled(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		for killAt := 1; ; killAt++ {
			id := w.addKept(waves)
			draft := w.settle(id, w.begin(id).ID)
			w.start(killAt)
			err := w.server.Discard(w.As(ada), id, draft.ID)
			lived := !w.life.isDead()
			if err != nil {
				w.start(0)
				if err := w.server.Discard(w.As(ada), id, draft.ID); fault.KindOf(err) != fault.NotFound {
					w.must(err)
				}
			}
			_, err = w.server.Get(w.As(ada), id, draft.ID)
			w.wantCode(err, fault.NotFound)
			if left := w.stand.Deposits(); len(left) > 0 || w.audited("entry.discard_deposit", id) != 1 {
				w.T.Fatalf("killed at %d: %+v", killAt, left)
			}
			if lived {
				return
			}
		}
	})
}

func TestRunWorksOnWhatIsBegun(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		ended := make(chan struct{})
		ctx, end := context.WithCancel(w.ctx)
		go func() {
			defer close(ended)
			w.server.Run(ctx)
		}()
		begun := w.begin(id)
		looks := time.NewTicker(5 * time.Millisecond)
		defer looks.Stop()
		for w.get(id, begun.ID).State != deposits.Draft {
			<-looks.C
		}
		end()
		<-ended
	})
}
