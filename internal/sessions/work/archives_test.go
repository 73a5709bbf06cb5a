package work_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/work"
)

func TestDownloadsOfWorkAreCounted(t *testing.T) {
	t.Parallel()
	counted := work.NewArchives(time.Millisecond)
	var ends []func()
	for i := range work.ArchivesAtOnce {
		end, err := counted.Begin(t.Context(), fmt.Sprint(i))
		sessionstest.Check(t, err)
		ends = append(ends, end)
	}
	for range 2 { // a refused one may be asked for again
		for id, kind := range map[string]fault.Kind{"0": fault.TooMany, "another": fault.Unavailable} {
			if _, err := counted.Begin(t.Context(), id); fault.KindOf(err) != kind {
				t.Errorf("session %s: %v", id, err)
			}
		}
	}
	ends[0]()
	end, err := counted.Begin(t.Context(), "0")
	sessionstest.Check(t, err)
	end()
	_, err = counted.Begin(t.Context(), "another")
	sessionstest.Check(t, err)
}

// When a room full of people fetches its work, everybody gets it.
func TestDownloadsOfWorkWaitForOthers(t *testing.T) {
	t.Parallel()
	counted := work.NewArchives(time.Hour)
	var downloads sync.WaitGroup
	for i := range 15 * work.ArchivesAtOnce {
		downloads.Go(func() {
			end, err := counted.Begin(t.Context(), fmt.Sprint(i))
			if err != nil {
				t.Error(err)
				return
			}
			runtime.Gosched()
			end()
		})
	}
	downloads.Wait()
	for i := range work.ArchivesAtOnce {
		_, err := counted.Begin(t.Context(), fmt.Sprint(i))
		sessionstest.Check(t, err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	for range 2 { // somebody who left doesn't hold a place
		if _, err := counted.Begin(left, "another"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestWorkIsDownloadedOnceAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	begun, release := make(chan struct{}), make(chan struct{})
	w.OpenAround(func(one engine.Engine) engine.Engine {
		return archivingEngine{one, func(context.Context, io.Writer) error {
			close(begun)
			<-release
			return nil
		}}
	})
	session := w.Settled("Session", sessions.Finished)
	first := make(chan error, 1)
	go func() { first <- w.Server.Work.Archive(t.Context(), session, "", io.Discard) }()
	<-begun
	answer := sessionstest.Call(w.API(), http.MethodGet, "/sessions/"+session.ID+"/work.zip", "ann")
	w.WantStatus("a second download", answer, http.StatusTooManyRequests)
	if answer.Header().Get("Retry-After") == "" || !strings.Contains(answer.Body.String(), "already being downloaded") {
		t.Errorf("got %v %s", answer.Header(), answer.Body)
	}
	w.WantStatus("a link for it", sessionstest.Call(w.API(), http.MethodPost, "/sessions/"+session.ID+"/work-link", "ann"), http.StatusTooManyRequests)
	close(release)
	sessionstest.Check(t, <-first)
}

// A client that stops reading frees its place.
func TestADownloadThatNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Timing.Patience = 50 * time.Millisecond
	ended := make(chan error, 1)
	w.download(func(_ context.Context, out io.Writer) error {
		for {
			if _, err := out.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return err
			}
		}
	})
	select {
	case <-ended:
	case <-time.After(60 * time.Second):
		t.Error("the archive is still being written")
	}
}
