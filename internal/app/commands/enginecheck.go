package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
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
		trial := engine.Spec{Owner: trialOwner, Repository: engine.Repository{URL: repository, Folder: catalog.RepositoryFolder(repository)}}
		if err := withTrial(ctx, opened, trial, tell, tryWork); err != nil {
			return err
		}
		if some, asks := opened.(interface{ RunsBatches() bool }); !asks || !some.RunsBatches() {
			return nil
		}
		tell("Entries can be run there.")
		trial.Owner, trial.Batch = "", &engine.Batch{}
		return withTrial(ctx, opened, trial, tell, tryIsolation)
	})
}

// trial is a session that runs, and the way to it.
type trial struct {
	on         engine.Engine
	id         string
	repository string // its address; "": none
	target     engine.Target
	tell       func(string)
}

// withTrial starts a session, tries it and always removes it, even when something fails in between.
func withTrial(ctx context.Context, on engine.Engine, spec engine.Spec, tell func(string), try func(ctx context.Context, started trial) error) (err error) {
	began := time.Now()
	spec.ID = sqldb.NewID()
	defer func() {
		leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		removed := on.Remove(leave, spec.ID)
		if guest, ok := on.(interface {
			ForgetOwner(ctx context.Context, owner string) error
		}); ok && removed == nil && spec.Owner != "" {
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
	target.Base = cmp.Or(target.Base, "/s/"+spec.ID+"/")
	return try(ctx, trial{on, spec.ID, spec.Repository.URL, target, tell})
}

// tryWork tries what people do with a session.
func tryWork(ctx context.Context, started trial) error {
	if status, err := requestStatus(ctx, started.target, started.target.Authorization); err != nil || status != http.StatusOK {
		return fault.Wrap(err, fault.Unavailable, "The session's server answers %d through the engine's proxy.", status)
	}
	if status, err := requestStatus(ctx, started.target, ""); err != nil || status == http.StatusOK {
		return fault.Wrap(err, fault.Unavailable, "The session's server lets anyone in (%d without a token).", status)
	}
	started.tell("It answers through the engine's proxy, and only to its own token.")
	if err := started.on.Stop(ctx, started.id); err != nil {
		return err
	}
	var work counter
	if err := started.on.Archive(ctx, started.id, &work); err != nil {
		return err
	}
	started.tell(fmt.Sprintf("Its work can be downloaded after it's stopped (%d bytes).", work))
	return nil
}

// reach is what a notebook does that wants to connect to an address. It prints whether it could.
const reach = `import socket
try:
    socket.create_connection((%q, %s), 5).close()
    print("reached")
except OSError:
    print("nothing there")
`

// tryIsolation tries from a notebook of a run to reach the hub's proxy and the host of the repository, which this server reaches, so that
// only a network that is closed to runs explains why it can't.
func tryIsolation(ctx context.Context, started trial) error {
	server := jupyterkernel.NewServer(started.target.URL.JoinPath(started.target.Base), started.target.Authorization, started.target.Transport)
	kernels, err := server.Kernels(ctx)
	if err != nil || len(kernels[engine.Python.Language]) == 0 {
		return fault.Wrap(err, fault.Unavailable, "Sessions there have no kernel for Python, so whether runs reach a network can't be tried.")
	}
	tried := []*url.URL{started.target.URL}
	if one, err := url.Parse(started.repository); err == nil && one.Host != "" {
		tried = append(tried, one)
	}
	for _, one := range tried {
		addresses, err := net.DefaultResolver.LookupHost(ctx, one.Hostname())
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "The address of %s can't be found from here.", one.Hostname())
		}
		port := cmp.Or(one.Port(), map[string]string{"http": "80", "https": "443"}[one.Scheme])
		for _, address := range addresses {
			printed, err := server.Run(ctx, kernels[engine.Python.Language][0], "a trial", fmt.Sprintf(reach, address, port))
			switch said := strings.TrimSpace(printed); {
			case err != nil:
				return fault.Wrap(err, fault.Unavailable, "A notebook can't be run there: %v.", err)
			case said == "reached":
				return fault.New(fault.Unavailable, "A run reaches the network: it connected to %s. Apply deploy/jupyterhub/runs.yaml in the hub's namespace, on a network that "+
					"enforces NetworkPolicy, and check that no other policy selects the pods of runs.", net.JoinHostPort(address, port))
			case said != "nothing there":
				return fault.New(fault.Unavailable, "The trial notebook printed %s, so whether runs reach a network isn't known.", fault.Quote(said))
			}
		}
	}
	started.tell("A run reaches neither the hub's proxy nor the host of the repository.")
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

func requestStatus(ctx context.Context, target engine.Target, authorization string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL.String()+target.Base+"api/status", http.NoBody)
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
