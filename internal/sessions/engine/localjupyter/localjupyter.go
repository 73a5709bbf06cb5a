package localjupyter

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/workarchive"
)

var (
	_ engine.EnvironmentPlanner = (*Engine)(nil)
	_ engine.Runner             = (*Engine)(nil)
)

// cleanUp limits the caches.
func (e *Engine) cleanUp() {
	ticks := time.NewTicker(10 * time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-e.workers.Closing().Done():
			return
		case <-ticks.C:
			e.evict()
			e.sandbox.RemoveGroups(nil)
		}
	}
}

// evict makes room in the caches.
func (e *Engine) evict() {
	isPinned := func(key string) bool {
		return slices.ContainsFunc(e.all(), func(known *session) bool { return known.live() && known.pins.IsPinned(key) })
	}
	lacking := func() bool { return e.disks.Shortage() != "" }
	// Datasets first: what they are is up to anybody, and they are fetched sooner than environments are built.
	if err := errors.Join(e.datasets.Evict(isPinned, lacking), e.repositories.Evict(isPinned, lacking), e.environments.Evict(isPinned, lacking)); err != nil {
		e.options.Logger.Warn("a cache cannot be made smaller", "error", err)
	}
}

// AnswerFirst is Sandbox.AnswerFirst.
func (e *Engine) AnswerFirst() error { return e.sandbox.AnswerFirst() }

// Network returns what sessions can reach: internet, none or all.
func (e *Engine) Network() string { return string(e.sandbox.Reach().Network) }

// Check returns Unavailable if a program is missing or sessions can't run on this folder.
func (e *Engine) Check(context.Context) error {
	if _, err := jupyterprogram.Find(e.options.Jupyter); err != nil {
		return err
	}
	if about, err := os.Stat(e.options.Git); err != nil || about.IsDir() || about.Mode()&0o111 == 0 {
		return fault.Wrap(err, fault.EngineUnavailable,
			"Sessions can't start: git isn't installed on this server. The operators have to run: apt-get install git")
	}
	return e.blocked
}

// Start records the request and begins the launch.
func (e *Engine) Start(ctx context.Context, spec engine.Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	for {
		if gone, err := e.findOrMake(spec.ID).start(ctx, spec); err != nil || !gone {
			return err
		}
	}
}

// Stop ends the session's processes and waits for it.
func (e *Engine) Stop(ctx context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.stop(engine.VersionStop).await(ctx, "The session is still being stopped.")
}

// Remove ends the session's processes and deletes its folder.
func (e *Engine) Remove(ctx context.Context, id string) error {
	known := e.find(id)
	if known == nil {
		return nil
	}
	return known.Remove(ctx)
}

// List returns every session, without its log.
func (e *Engine) List(context.Context) ([]engine.Status, error) {
	list := []engine.Status{}
	for _, known := range e.all() {
		if status, there := known.status(); there {
			list = append(list, status)
		}
	}
	return list, nil
}

// Status returns one session.
func (e *Engine) Status(_ context.Context, id string) (engine.Status, error) {
	if known := e.find(id); known != nil {
		if status, there := known.status(); there {
			status.Log = known.logTail()
			return status, nil
		}
	}
	return engine.Status{}, engine.ErrUnknownSession
}

// Changed signals that some session changed.
func (e *Engine) Changed() <-chan struct{} { return e.changed }

// Target leads to the Jupyter of a running session.
func (e *Engine) Target(_ context.Context, id string) (engine.Target, error) {
	client, err := e.client(id)
	if err != nil {
		return engine.Target{}, err
	}
	return client.target(), nil
}

// Idle asks the kernels of a running session.
func (e *Engine) Idle(ctx context.Context, id string) (bool, error) {
	client, err := e.client(id)
	if err != nil {
		return false, err
	}
	return client.idle(ctx)
}

// client returns the client for the Jupyter of a running session.
func (e *Engine) client(id string) (*client, error) {
	if known := e.find(id); known != nil {
		known.mu.Lock()
		defer known.mu.Unlock()
		if known.record.Phase == engine.Running && known.client != nil {
			return known.client, nil
		}
	}
	return nil, engine.ErrNotRunning
}

// Archive writes the work folder without its datasets and links.
func (e *Engine) Archive(ctx context.Context, id string, w io.Writer) error {
	known := e.find(id)
	if known == nil {
		return engine.ErrUnknownSession
	}
	if _, there := known.status(); !there {
		return engine.ErrUnknownSession
	}
	if version := known.work.PendingVersion(); version != "" {
		return e.ArchiveVersion(ctx, id, version, w)
	}
	err := workarchive.Write(ctx, known.folder, folders.Work, w)
	if os.IsNotExist(err) {
		err = zip.NewWriter(w).Close() // its first launch hasn't created the folder yet
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The archive of the session's work couldn't be written. The work itself is kept: try again in a while.")
	}
	return nil
}

// ReadFile implements engine.Runner.
func (e *Engine) ReadFile(_ context.Context, id, path string, most int64) ([]byte, error) {
	known := e.find(id)
	if known == nil {
		return nil, engine.ErrUnknownSession
	}
	return workarchive.ReadWork(known.folder, path, most)
}

// Close ends what this process does for sessions and returns when that is done. Running sessions continue; launches in
// progress are stopped and restarted by the next New; stops and removals in progress are completed.
func (e *Engine) Close() error {
	e.workers.Close()
	for _, known := range e.all() {
		known.release()
	}
	e.sandbox.Close()
	if err := e.versions.Close(); err != nil {
		e.options.Logger.Warn("versions cannot be closed", "error", err)
	}
	removeMark(e.options.Dir)
	_ = os.Remove(e.options.RuntimeDir) // unless it contains sockets
	return nil
}
