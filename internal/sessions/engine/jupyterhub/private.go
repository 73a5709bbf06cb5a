package jupyterhub

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/bareclone"
)

// A private repository is read by this server, with what belongs to the session's owner. The hub's agent asks for it in the session's state
// when a launch has to copy it: not when the work has it already. Nothing that could read it again reaches the hub.

var errReadAgain = fault.New(fault.Unavailable, "The private repository has to be read again. Start the session again.")

const (
	wishEvery = 100 * time.Millisecond // between two looks at what the agent has told
	sendsMost = 3                      // attempts to send a clone to an agent that doesn't take it
)

// keepCloner keeps what clones the session's private repository, which isn't in its record: it is good in this process alone.
func (s *session) keepCloner(cloner engine.Cloner) {
	if cloner == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cloner = cloner
}

// holdFor has this process carry out a launch that needs what only it has, unless another server of ours works on the session.
func (s *session) holdFor(r *record, cloner engine.Cloner) {
	if now := s.engine.options.Now(); cloner != nil && !s.leasedByOther(r, now) {
		r.Holder, r.HeldUntil = s.engine.processID, now.Add(s.engine.options.Lease)
	}
}

// checkPrivate returns why sessions of private repositories can't run on the hub, as a sentence; "" if they can.
func (a *agent) checkPrivate(ctx context.Context) (reason string, err error) {
	if a.find(ctx) == agentUnknown {
		return "", unreachable(errors.New("the hub's agent doesn't answer"))
	}
	if kind, about := a.read(); kind == agentPresent && about.Private {
		return "", nil
	}
	return "Sessions of private repositories can't run on this hub: its operators have to install the agent of this server's release there.", nil
}

// bringPrivate is bring for a session of a private repository.
func (l launch) bringPrivate(ctx context.Context) error {
	if reason, err := l.engine.agent.checkPrivate(ctx); reason != "" || err != nil {
		return l.failed(ctx, outcome{failed: reason, code: diagnosis.ServerFault}, err)
	}
	launching, refuse := context.WithCancelCause(ctx)
	var supplying sync.WaitGroup
	supplying.Go(func() {
		if err := l.supply(launching); err != nil && launching.Err() == nil {
			refuse(err)
		}
	})
	err := l.bring(launching)
	refused := context.Cause(launching)
	refuse(nil)
	supplying.Wait()
	if refused == nil || ctx.Err() != nil {
		return err
	}
	if now := l.session.read(); now.Task != taskLaunch || now.Launch != l.record.Launch {
		return nil
	}
	// Its server must not outlive a launch that failed.
	if err := l.engine.driver.stopServer(ctx, l.record); err != nil {
		return err
	}
	l.engine.options.Logger.Info("a private repository can't be had for a session", "session", l.session.id, "error", refused)
	reason := fault.MessageOf(refused)
	return l.failed(ctx, outcome{failed: reason, code: diagnosis.CloneRefused, log: reason + "\n"}, nil)
}

// supply sends the clone of the repository to the agent if the launch wants it. It returns why it can't.
func (l launch) supply(ctx context.Context) error {
	for !l.isWanted() {
		select {
		case <-time.After(wishEvery):
		case <-ctx.Done():
			return nil
		}
	}
	l.session.mu.Lock()
	cloner := l.session.cloner
	l.session.mu.Unlock()
	if cloner == nil {
		return errReadAgain
	}
	folder, err := os.MkdirTemp(l.engine.options.Temporary, "cairn-clone-") // which only this server's account reads
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "This server has no room to read the private repository. Tell the operators.")
	}
	defer os.RemoveAll(folder)
	path, err := cloner(ctx, folder)
	if err != nil {
		return err
	}
	return l.sendClone(ctx, path)
}

// isWanted reports whether the agent waits for the clone.
func (l launch) isWanted() bool {
	told, known := l.engine.agent.state(l.session.id)
	return known && told.Wants == l.record.Launch
}

// sendClone sends a clone as long as the agent wants it. What the agent says about it is told by the launch that it ends.
func (l launch) sendClone(ctx context.Context, path string) error {
	pause := shortestPause
	for tries := 1; ; {
		err := l.engine.hub.putClone(ctx, l.session.id, l.record.Launch, path)
		switch kind := fault.KindOf(err); {
		case err == nil, ctx.Err() != nil, !l.isWanted():
			return nil //nolint:nilerr // the launch tells what became of it
		case kind == fault.Conflict: // the state isn't told yet
		case kind != fault.Unavailable:
			return nil
		case tries == sendsMost:
			return err
		default:
			tries++
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		case <-ctx.Done():
			return nil
		}
	}
}

// putClone sends the bare clone in a folder to the agent.
func (c *client) putClone(ctx context.Context, id string, launch int64, folder string) (err error) {
	from, to := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := bareclone.Write(ctx, folder, to)
		packed <- err
		_ = to.CloseWithError(err)
	}()
	// In the end nobody reads the folder any more.
	defer func() {
		_ = from.Close()
		if failed := <-packed; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
			err = fault.Wrap(failed, fault.Unavailable, "This server couldn't send the private repository to the hub. Tell the operators.")
		}
	}()
	request, err := c.newRequest(ctx, http.MethodPut, workService+agentPath(id, "clone")+"?launch="+strconv.FormatInt(launch, 10), from)
	if err != nil {
		return err
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return unreachable(err)
	}
	defer response.Body.Close()
	if c.told != nil {
		c.told(response.Header.Get(agentapi.StateHeader))
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return agentapi.ReadProblem(response)
	}
	return nil
}
