package operators

import (
	"context"
	"log/slog"
	"time"

	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/warm"
)

// OperatorSession is what operators see of somebody's session. The names of sessions and projects are private to their
// owners.
type OperatorSession struct {
	ID              string          `json:"id" format:"uuid"`
	Owner           string          `json:"owner" doc:"E-mail address in lower case"`
	Engine          string          `json:"engine"`
	Status          sessions.Status `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR"`
	StatusReason    string          `json:"statusReason"`
	RequestedStatus sessions.Status `json:"requestedStatus,omitempty" enum:"TERMINATED" doc:"A stop that is under way"`
	CreatedAt       time.Time       `json:"createdAt"`
	LastActivityAt  *time.Time      `json:"lastActivityAt,omitempty" doc:"To the minute"`
	Limits          sizes.Limits    `json:"limits"`
}

// OperatorSessionPage is a page of sessions.
type OperatorSessionPage struct {
	Content       []OperatorSession `json:"content"`
	TotalElements int               `json:"totalElements"`
	Number        int               `json:"number"`
	Size          int               `json:"size"`
	Warm          []WarmSession     `json:"warm" doc:"The sessions that are kept warm and that nobody has claimed, newest first; on every page"`
}

// WarmSession is what operators see of a session that runs before anybody asks for it.
type WarmSession struct {
	ID        string     `json:"id" format:"uuid"`
	Entry     string     `json:"entry" doc:"The id of its entry or project in the configuration"`
	Name      string     `json:"name" doc:"The name of its entry or project"`
	Engine    string     `json:"engine"`
	Phase     warm.Phase `json:"phase" enum:"starting,ready,ending"`
	CreatedAt time.Time  `json:"createdAt"`
}

const operatorsOnly = "Only operators can see and stop other people's sessions."

// Service lists everybody's sessions for operators, and stops them.
type Service struct {
	Store   *sessions.Store
	Warm    *warm.Store
	Engines sizes.Engines
	Changes *sessions.Changes
	Logger  *slog.Logger
}

// All returns a page of everybody's sessions for operators, newest first.
func (s *Service) All(ctx context.Context, query sessions.AllQuery) (OperatorSessionPage, error) {
	page := OperatorSessionPage{Content: []OperatorSession{}, Number: query.Offset / max(query.Size, 1), Size: query.Size, Warm: []WarmSession{}}
	if _, err := identity.RequireOperator(ctx, operatorsOnly); err != nil {
		return page, err
	}
	unclaimed, err := s.Warm.All(ctx)
	if err != nil {
		return page, err
	}
	for _, one := range unclaimed {
		page.Warm = append(page.Warm, WarmSession{ID: one.ID, Entry: one.Entry, Name: one.Name, Engine: one.Engine, Phase: one.Phase, CreatedAt: one.CreatedAt})
	}
	found, total, err := s.Store.All(ctx, query)
	for _, session := range found {
		page.Content = append(page.Content, s.forOperators(session))
	}
	page.TotalElements = total
	return page, err
}

func (s *Service) forOperators(session sessions.Session) OperatorSession {
	shown := OperatorSession{
		ID: session.ID, Owner: session.UserID, Engine: session.Engine, Status: session.Status, StatusReason: session.StatusReason,
		RequestedStatus: session.RequestedStatus, CreatedAt: session.CreatedAt, LastActivityAt: session.LastActivityAt,
	}
	if chosen, err := s.Engines.Of(session.Engine); err == nil {
		size, _ := chosen.Profile(session.Source.Profile)
		shown.Limits = size.Limits
	}
	return shown
}

// Stop stops anybody's session and keeps its work; its owner reads the reason. It doesn't wait for the
// engine. An ended session isn't changed.
func (s *Service) Stop(ctx context.Context, id, reason string) (OperatorSession, error) {
	operator, err := identity.RequireOperator(ctx, operatorsOnly)
	if err != nil {
		return OperatorSession{}, err
	}
	told, err := sessions.CheckReason(reason)
	if err != nil {
		return OperatorSession{}, err
	}
	stopped, err := s.Store.RequestStop(ctx, id, told)
	if err != nil {
		return OperatorSession{}, err
	}
	s.Logger.InfoContext(ctx, "an operator stopped a session", "session", id, "operator", operator.Email)
	s.Changes.Announce()
	return s.forOperators(stopped), nil
}
