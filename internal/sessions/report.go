package sessions

import (
	"context"
	"slices"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// Log returns the end of the log of the last launch of one of the caller's sessions, "" if its engine has none, and its
// parts, in which the cause of a failure is marked.
func (s *Service) Log(ctx context.Context, id string) (log string, parts []diagnosis.LogPart, err error) {
	session, report, err := s.Look(ctx, id)
	if err == nil {
		_, err = s.Engines.Of(session.Engine)
	}
	return report.Log, LogParts(session, report), err
}

// Usage returns what a session uses, and its warning as it is now; nil if its engine doesn't know it, or it doesn't run.
func (s *Service) Usage(ctx context.Context, session Session) (*Usage, string) {
	return UsageOf(ctx, s.Engines, session)
}

// UsageOf is Usage of a session of any account.
func UsageOf(ctx context.Context, engines sizes.Engines, session Session) (*Usage, string) {
	chosen, err := engines.Of(session.Engine)
	meter, measured := chosen.Engine.(engine.Meter)
	if err != nil || !measured || session.Status != Running {
		return nil, session.Warning
	}
	used, err := meter.Usage(ctx, session.ID)
	if err != nil {
		return nil, session.Warning
	}
	return &Usage{MemoryBytes: used.MemoryBytes, DiskBytes: used.DiskBytes, CPUs: used.CPUs}, used.Warning
}

// Look returns one of the caller's sessions and its engine's report on its launch.
func (s *Service) Look(ctx context.Context, id string) (Session, engine.Status, error) {
	session, err := s.Own(ctx, id)
	if err != nil {
		return session, engine.Status{}, err
	}
	if chosen, removed := s.Engines.Of(session.Engine); removed == nil && (!session.LaunchedAt.IsZero() || session.Status == Running) {
		return session, chosen.Report(ctx, s.Logger, id), nil
	}
	return session, engine.Status{}, nil // if there was an earlier launch, the engine may know it
}

// LogParts cuts a log into the parts that pages show differently; the cause is marked once the launch has failed.
func LogParts(session Session, report engine.Status) []diagnosis.LogPart {
	var cause diagnosis.Cause
	if session.Status == Failed && session.Cause != nil {
		cause = diagnosis.Explain(diagnosis.Failure{Code: session.Cause.Code, Step: FailedStep(report), Log: report.Log})
	}
	return diagnosis.Parts(report.Log, cause)
}

// FailedStep is the step at which a session failed.
func FailedStep(report engine.Status) diagnosis.Step {
	for _, step := range report.Steps {
		switch {
		case step.State != engine.Broken:
		case step.Name == engine.StepRepository:
			return diagnosis.Clone
		case step.Name == engine.StepEnvironment:
			return diagnosis.Install
		case step.Name == engine.StepServer:
			return diagnosis.Run
		}
	}
	if len(report.Steps) > 0 && !slices.ContainsFunc(report.Steps, func(step engine.Step) bool { return step.State != engine.Done }) {
		return diagnosis.Run
	}
	return ""
}
