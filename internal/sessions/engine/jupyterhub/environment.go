package jupyterhub

import (
	"context"
	"net/http"
	"slices"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/requirements"
)

// requirementsOf returns what a repository asks for by the hook's report; false if the hook doesn't report it.
func requirementsOf(news *hookReport, descriptors []string) (requirements.Requirements, bool) {
	if news == nil || news.Files == nil {
		return requirements.Requirements{}, false
	}
	found, err := requirements.Read(requirements.FromReport(news.Files), descriptors)
	return found, err == nil
}

// answer tells a launch that waits for it which packages to install. What it sent before is sent again if it is asked again.
func (l launch) answer(ctx context.Context, news *hookReport) error {
	asked, known := requirementsOf(news, l.engine.options.Descriptors)
	if !known || !news.Asks || news.Launch != l.record.Launch {
		return nil
	}
	lines := []string{}
	for _, one := range asked.Packages {
		lines = append(lines, one.Line)
	}
	sealed, err := l.engine.signer.seal(packageList{
		Kind: "environment", Session: l.record.Spec.ID, Owner: l.record.user(), Launch: l.record.Launch, Until: l.engine.options.Now().Add(permitLife).Unix(), Packages: lines,
	})
	if err != nil {
		return err
	}
	path := "/hub/api/cairn/environment" + userPath(l.record.user(), l.record.server())[len("/hub/api/users"):]
	if _, err = l.engine.hub.call(ctx, http.MethodPost, path, sealed, nil); statusOf(err) == http.StatusConflict {
		return nil // it is over: another of our servers has answered
	}
	return err
}

// contradiction returns why a launch that waits for its packages can't have them: they exclude each other.
func (l launch) contradiction(news *hookReport) error {
	asked, known := requirementsOf(news, l.engine.options.Descriptors)
	if !known || !news.Asks || news.Launch != l.record.Launch {
		return nil
	}
	return asked.Contradiction()
}

// leftOut returns what a repository asks for and its session doesn't have; nil if the hook doesn't report it.
func (l launch) leftOut(news *hookReport) []engine.LeftOut {
	if news != nil && news.LeftOut != nil {
		return engine.ShortLeftOut(news.LeftOut)
	}
	asked, known := requirementsOf(news, l.engine.options.Descriptors)
	switch {
	case !known:
		return nil
	case news.installs():
		return engine.ShortLeftOut(slices.Concat(asked.LeftOut(), asked.LeaveR(whyNoR), news.Left))
	}
	return engine.ShortLeftOut(notInstalled(asked))
}

// whyNoR is said of packages of R.
const whyNoR = "Packages of R aren't installed on this hub: notebooks in R have those of its sessions."

// notInstalled returns everything that a repository asks for.
func notInstalled(asked requirements.Requirements) []engine.LeftOut {
	var left []engine.LeftOut
	for _, one := range asked.Packages {
		left = append(left, engine.LeftOut{What: one.String(), Why: "Sessions on this hub have the operators' packages; nothing else is installed."})
	}
	return slices.Concat(left, asked.LeftOut(), asked.LeaveR(whyNoR))
}

// MakesEnvironments reports whether packages are installed on the hub.
func (e *Engine) MakesEnvironments() bool { return e.installs.Load() }

// PlanEnvironment implements engine.EnvironmentPlanner.
func (e *Engine) PlanEnvironment(read func(path string) (string, error)) (engine.Environment, error) {
	asked, err := requirements.Read(requirements.FromReader(read), e.options.Descriptors)
	if kind, about := e.agent.read(); kind == agentPresent && about.Packages && about.R {
		planned := asked.Environment(asked.Packages, asked.LeftOut())
		for _, one := range asked.R {
			planned.Packages = append(planned.Packages, one.String())
		}
		return planned, err
	}
	if e.installs.Load() {
		return asked.Environment(asked.Packages, slices.Concat(asked.LeftOut(), asked.LeaveR(whyNoR))), err
	}
	return asked.Environment(nil, notInstalled(asked)), err
}

// readFeatures asks the hub's hook what sessions there can have; one of before doesn't answer.
func (e *Engine) readFeatures(ctx context.Context) {
	var about struct {
		Environments bool `json:"environments"`
		Runs         bool `json:"runs"`  // batch sessions are servers of the hub
		Front        bool `json:"front"` // sessions can have VS Code and SSH
	}
	if _, err := e.hub.call(ctx, http.MethodGet, "/hub/api/cairn/about", nil, &about); err == nil || statusOf(err) == http.StatusNotFound {
		e.installs.Store(about.Environments)
		e.runs.servers.Store(about.Runs)
		e.fronts.Store(about.Front)
	}
}
