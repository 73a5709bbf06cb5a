package sessions

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
)

func TestDownloadsOfWorkAreCounted(t *testing.T) {
	t.Parallel()
	var counted archives
	var ends []func()
	for i := range archivesAtOnce {
		end, err := counted.begin(fmt.Sprint(i))
		check(t, err)
		ends = append(ends, end)
	}
	for id, kind := range map[string]fault.Kind{"0": fault.TooMany, "another": fault.Unavailable} {
		if _, err := counted.begin(id); fault.KindOf(err) != kind {
			t.Errorf("session %s: %v", id, err)
		}
	}
	ends[0]()
	end, err := counted.begin("0")
	check(t, err)
	end()
	_, err = counted.begin("another")
	check(t, err)
}

func TestWorkIsDownloadedOnceAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	begun, release := make(chan struct{}), make(chan struct{})
	w.service.Engines[0].Engine = archivingEngine{w.service.Engines[0].Engine, func(context.Context, io.Writer) error {
		close(begun)
		<-release
		return nil
	}}
	session := w.settled("Session", Finished)
	first := make(chan error, 1)
	go func() { first <- w.service.Archive(t.Context(), session, io.Discard) }()
	<-begun
	answer := call(w.api(), http.MethodGet, "/sessions/"+session.ID+"/work.zip", "ann")
	w.wantStatus("a second download", answer, http.StatusTooManyRequests)
	if answer.Header().Get("Retry-After") == "" || !strings.Contains(answer.Body.String(), "already being downloaded") {
		t.Errorf("got %v %s", answer.Header(), answer.Body)
	}
	w.wantStatus("a link for it", call(w.api(), http.MethodPost, "/sessions/"+session.ID+"/work-link", "ann"), http.StatusTooManyRequests)
	close(release)
	check(t, <-first)
}

// A client that stops reading frees its place.
func TestADownloadThatNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.patience = 50 * time.Millisecond
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
