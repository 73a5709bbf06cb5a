package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/engine"
)

const (
	trialOwner     = "engine-check@cairn.invalid"
	trialTimeout   = 5 * time.Minute // from the request to a server that answers
	cleanupTimeout = 2 * time.Minute // to stop and remove it
)

// CheckEngine tries a configured engine end to end (the first one when name is empty): what it reports about itself,
// then a session of a repository, which is started, reached, stopped and removed. It prints what works; its error says
// what to fix. It may run beside the server and leaves the server's sessions alone.
func CheckEngine(ctx context.Context, settings config.Config, name, repository string, out io.Writer) error {
	if err := config.Fault(settings.Sessions.EngineFaults()); err != nil {
		return err
	}
	at := slices.IndexFunc(settings.Sessions.Engines, func(one config.Engine) bool { return name == "" || one.Name == name })
	if at < 0 {
		return fault.New(fault.Invalid, "There is no engine named %q in the configuration.", name)
	}
	tell := func(text string) { _, _ = fmt.Fprintln(out, "  ok  "+text) }
	chosen := settings.Sessions.Engines[at]
	_, _ = fmt.Fprintf(out, "Engine %s (%s)\n", chosen.Name, chosen.Kind)
	return installation.WithTrialEngine(settings, chosen, func(opened engine.Engine) error {
		if err := installation.Diagnose(ctx, opened, tell); err != nil {
			return err
		}
		return runTrial(ctx, opened, engine.Spec{
			ID: sqldb.NewID(), Owner: trialOwner, Repository: engine.Repository{URL: repository, Folder: catalog.RepositoryFolder(repository)},
		}, tell)
	})
}

// runTrial starts a session and always removes it, even when something fails in between.
func runTrial(ctx context.Context, on engine.Engine, spec engine.Spec, tell func(string)) (err error) {
	began := time.Now()
	defer func() {
		leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
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
	if err := awaitTrial(ctx, on, spec.ID, tell); err != nil {
		return err
	}
	tell(fmt.Sprintf("A session was ready after %.1f s.", time.Since(began).Seconds()))
	target, err := on.Target(ctx, spec.ID)
	if err != nil {
		return err
	}
	if status, err := requestStatus(ctx, target, spec.ID, target.Authorization); err != nil || status != http.StatusOK {
		return fault.Wrap(err, fault.Unavailable, "The session's server answers %d through the engine's proxy.", status)
	}
	if status, err := requestStatus(ctx, target, spec.ID, ""); err != nil || status == http.StatusOK {
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

// awaitTrial waits until the session runs, and reports its steps.
func awaitTrial(ctx context.Context, on engine.Engine, id string, tell func(string)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, trialTimeout, fault.New(fault.Unavailable, "The session was not ready after %s.", trialTimeout))
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

func requestStatus(ctx context.Context, target engine.Target, id, authorization string) (int, error) {
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
