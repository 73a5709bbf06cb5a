package sessions

import (
	"context"
	"fmt"
	"slices"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// Log returns the end of the log of the last launch of one of the caller's sessions, "" if its engine has none, and its
// parts, in which the cause of a failure is marked.
func (s *Service) Log(ctx context.Context, id string) (log string, parts []diagnosis.LogPart, err error) {
	session, report, err := s.look(ctx, id)
	if err == nil {
		_, err = s.engineOf(session)
	}
	return report.Log, logParts(session, report), err
}

// usage returns what a session uses, and its warning as it is now; nil if its engine doesn't know it, or it doesn't run.
func (s *Service) usage(ctx context.Context, session Session) (*Usage, string) {
	chosen, err := s.engineOf(session)
	meter, measured := chosen.Engine.(engine.Meter)
	if err != nil || !measured || session.Status != Running {
		return nil, session.Warning
	}
	used, err := meter.Usage(ctx, session.ID)
	if err != nil {
		return nil, session.Warning
	}
	return &Usage{MemoryBytes: used.MemoryBytes, DiskBytes: used.DiskBytes}, used.Warning
}

// look returns one of the caller's sessions and its engine's report on its launch.
func (s *Service) look(ctx context.Context, id string) (Session, engine.Status, error) {
	session, err := s.Own(ctx, id)
	if err != nil {
		return session, engine.Status{}, err
	}
	if chosen, removed := s.engineOf(session); removed == nil && (!session.launchedAt.IsZero() || session.Status == Running) {
		return session, s.report(ctx, chosen, id), nil
	}
	return session, engine.Status{}, nil // if there was an earlier launch, the engine may know it
}

// report is an engine's report on a launch; an empty one if it has none.
func (s *Service) report(ctx context.Context, one NamedEngine, id string) engine.Status {
	bounded, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	report, err := one.Status(bounded, id)
	if err != nil && fault.KindOf(err) != fault.NotFound && ctx.Err() == nil { // everything else is still shown
		s.Logger.WarnContext(ctx, "an engine tells nothing of a launch", "session", id, "error", err)
	}
	return report
}

// explain returns why a session failed; nil if nothing is known.
func (s *Service) explain(ctx context.Context, one NamedEngine, session Session, what action) *diagnosis.Cause {
	report := s.report(ctx, one, session.ID)
	cause := diagnosis.Explain(diagnosis.Failure{
		Code: what.code, Reason: what.reason, Step: failedStep(report), Log: report.Log, Datasets: session.Project.folders(),
	})
	if cause.Code == "" {
		return nil
	}
	return &cause
}

// failedStep is the step at which a session failed.
func failedStep(report engine.Status) diagnosis.Step {
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

// LaunchCause is what the launch page says of a cause.
type LaunchCause struct {
	Help

	Who string `json:"who"` // a sentence: who can fix it
	Fix string `json:"fix"` // a sentence: what to do
}

// Help is what a page offers about a cause besides starting the session again: a link, or a button that copies a message.
type Help struct {
	Label   string `json:"label" doc:"Of the link or button; empty if starting the session again is all there is to do"`
	Address string `json:"address" doc:"Where the link leads; empty for a button"`
	Message string `json:"message" doc:"What the button copies: a message for the operators"`
}

var whoCan = map[diagnosis.Who]string{
	diagnosis.You: "You can fix this.", diagnosis.Authors: "The authors can fix this.", diagnosis.Operators: "The operators can fix this",
}

// launchCause returns what the launch page of a session that failed says of its cause; nil if nothing is known. Parts
// are its log, whose marked lines become part of a message.
func (s *Service) launchCause(session Session, parts []diagnosis.LogPart) *LaunchCause {
	if session.Help == nil {
		return nil
	}
	said := &LaunchCause{Who: whoCan[session.Cause.Who], Fix: session.Cause.Fix, Help: *session.Help}
	if session.Cause.Who == diagnosis.Operators {
		said.Who += contactText(s.Contact) + "."
	}
	for _, part := range parts {
		if said.Message != "" && part.Kind == diagnosis.Marked {
			said.Message += part.Text
		}
	}
	return said
}

// help returns what pages offer about the cause of a session that failed; nil if nothing is known.
func (s *Service) help(session Session) *Help {
	cause := session.Cause
	if cause == nil || session.Status != Failed {
		return nil
	}
	source := session.Project.Repository.Address
	var help Help
	switch cause.Action {
	case diagnosis.Again, diagnosis.Without:
		return &help
	case diagnosis.Contact:
		return &Help{
			Label:   "Copy a message to the operators",
			Message: fmt.Sprintf("Session %s (%s): %s [%s]\n", session.ID, session.SessionName, cause.Sentence, cause.Code),
		}
	case diagnosis.Requirements:
		help = Help{Label: "Open requirements.txt", Address: catalog.FileAtHost(source, "requirements.txt")}
	case diagnosis.Repository:
		help = Help{Label: "Open the repository", Address: catalog.FileAtHost(source, "")}
	case diagnosis.Entry:
	}
	if help.Address == "" {
		help = Help{Label: "Go to the entry", Address: s.entryAddress(session)}
	}
	return &help
}

// entryAddress is the page of the entry whose authors can fix a session.
func (s *Service) entryAddress(session Session) string {
	id, kind := session.Project.Repository.ID, catalog.Repository
	if session.Resource != nil {
		id, kind = session.Resource.ID, session.Resource.Type
	}
	return s.Public + "/resources/" + kind.Plural() + "/" + id
}
