package work_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
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
	var counted work.Archives
	var ends []func()
	for i := range work.ArchivesAtOnce {
		end, err := counted.Begin(fmt.Sprint(i))
		sessionstest.Check(t, err)
		ends = append(ends, end)
	}
	for id, kind := range map[string]fault.Kind{"0": fault.TooMany, "another": fault.Unavailable} {
		if _, err := counted.Begin(id); fault.KindOf(err) != kind {
			t.Errorf("session %s: %v", id, err)
		}
	}
	ends[0]()
	end, err := counted.Begin("0")
	sessionstest.Check(t, err)
	end()
	_, err = counted.Begin("another")
	sessionstest.Check(t, err)
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
