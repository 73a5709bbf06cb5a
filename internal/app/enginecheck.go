package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/sqldb"
)

const (
	canaryOwner = "engine-check@cairn.invalid"
	canaryTime  = 5 * time.Minute // from the request to a server that answers
	leaveTime   = 2 * time.Minute // to stop and remove it
)

// CheckEngine tries a configured engine end to end (the first one when name is empty): what it reports about itself,
// then a session of a repository, which is started, reached, stopped and removed. It prints what works; its error says
// what to fix. It may run beside the server and leaves the server's sessions alone.
func CheckEngine(ctx context.Context, config Config, name, repository string, out io.Writer) error {
	if err := configFault(config.Sessions.engineFaults()); err != nil {
		return err
	}
	at := slices.IndexFunc(config.Sessions.Engines, func(one EngineConfig) bool { return name == "" || one.Name == name })
	if at < 0 {
		return fault.New(fault.Invalid, "There is no engine named %q in the configuration.", name)
	}
	tell := func(text string) { _, _ = fmt.Fprintln(out, "  ok  "+text) }
	chosen := config.Sessions.Engines[at]
	_, _ = fmt.Fprintf(out, "Engine %s (%s)\n", chosen.Name, chosen.Kind)
	return withTrialEngine(config, chosen, func(opened engine.Engine) error {
		if err := diagnose(ctx, opened, tell); err != nil {
			return err
		}
		return tryCanary(ctx, opened, engine.Spec{
			ID: sqldb.NewID(), Owner: canaryOwner, Repository: engine.Repository{URL: repository, Folder: catalog.RepositoryFolder(repository)},
		}, tell)
	})
}

// withTrialEngine opens an engine in a folder that is removed afterwards, apart from the server's.
func withTrialEngine(config Config, chosen EngineConfig, work func(engine.Engine) error) (err error) {
	folder, err := os.MkdirTemp("", "cairn-engine-check-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o711); err != nil { //nolint:gosec // without bubblewrap the account of the trial session enters it
		return err
	}
	config.Data, config.Sessions.Folder = filepath.Join(folder, "data"), filepath.Join(folder, "sessions")
	logger := LogConfig{Level: "error", Format: "text"}.newLogger(io.Discard)
	opened, err := openEngine(engineOptions{
		config: config, engine: chosen, publicURL: "http://localhost", records: engine.NewMemory(), logger: logger,
		web: safehttp.New(safehttp.Options{UserAgent: "Cairn", AllowHTTP: true, Allowed: config.Outgoing.prefixes()}),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return work(opened)
}

// diagnose has an engine report about itself. Its error says what to fix.
func diagnose(ctx context.Context, opened engine.Engine, tell func(string)) error {
	if thorough, ok := opened.(interface {
		Diagnose(ctx context.Context, tell func(text string)) error
	}); ok {
		if err := thorough.Diagnose(ctx, tell); err != nil {
			return err
		}
	}
	return opened.Check(ctx)
}

// tryCanary starts a session and always removes it, even when something fails in between.
func tryCanary(ctx context.Context, on engine.Engine, spec engine.Spec, tell func(string)) (err error) {
	began := time.Now()
	defer func() {
		leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer cancel()
		removed := on.Remove(leave, spec.ID)
		if guest, ok := on.(interface {
			ForgetOwner(ctx context.Context, owner string) error
		}); ok && removed == nil {
			removed = guest.ForgetOwner(leave, spec.Owner)
		}
		if removed != nil {
			removed = fmt.Errorf("the trial session %s could not be removed: %w", spec.ID, removed)
		} else if err == nil {
			tell("It was stopped and removed without leaving anything behind.")
		}
		err = errors.Join(err, removed)
	}()
	if err := on.Start(ctx, spec); err != nil {
		return err
	}
	if err := awaitCanary(ctx, on, spec.ID, tell); err != nil {
		return err
	}
	tell(fmt.Sprintf("A session was ready after %.1f s.", time.Since(began).Seconds()))
	target, err := on.Target(ctx, spec.ID)
	if err != nil {
		return err
	}
	if status, err := reach(ctx, target, spec.ID, target.Authorization); err != nil || status != http.StatusOK {
		return fault.Wrap(err, fault.Unavailable, "The session's server answers %d through the engine's proxy.", status)
	}
	if status, err := reach(ctx, target, spec.ID, ""); err != nil || status == http.StatusOK {
		return fault.Wrap(err, fault.Unavailable, "The session's server lets anyone in (%d without a token).", status)
	}
	tell("It answers through the engine's proxy, and only to its own token.")
	if err := on.Stop(ctx, spec.ID); err != nil {
		return err
	}
	var work counter
	if err := on.Archive(ctx, spec.ID, &work); err != nil {
		return err
	}
	tell(fmt.Sprintf("Its work can be downloaded after it's stopped (%d bytes).", work))
	return nil
}

// awaitCanary waits until the session runs, and reports its steps.
func awaitCanary(ctx context.Context, on engine.Engine, id string, tell func(string)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, canaryTime, fault.New(fault.Unavailable, "The session was not ready after %s.", canaryTime))
	defer cancel()
	told := map[engine.StepName]bool{}
	for {
		status, err := on.Status(ctx, id)
		if err != nil {
			return err
		}
		for _, step := range status.Steps {
			if step.State == engine.Done && !told[step.Name] {
				told[step.Name] = true
				tell("step " + string(step.Name))
			}
		}
		switch status.Phase {
		case engine.Running:
			return nil
		case engine.Failed, engine.Ended, engine.Full:
			return fault.New(fault.Unavailable, "The session didn't start: %s\n%s", status.Reason, strings.TrimSpace(status.Log))
		case engine.Starting:
		}
		select {
		case <-on.Changed():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func reach(ctx context.Context, target engine.Target, id, authorization string) (int, error) {
	base := target.Base
	if base == "" {
		base = "/s/" + id + "/"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL.String()+base+"api/status", http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", authorization)
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// counter counts bytes written.
type counter int

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}
