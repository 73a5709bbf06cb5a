package sessions

import (
	"context"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/warm"
)

// OperatorSession is what operators see of somebody's session. The names of sessions and projects are private to their
// owners.
type OperatorSession struct {
	ID              string     `json:"id" format:"uuid"`
	Owner           string     `json:"owner" doc:"E-mail address in lower case"`
	Engine          string     `json:"engine"`
	Status          Status     `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR"`
	StatusReason    string     `json:"statusReason"`
	RequestedStatus Status     `json:"requestedStatus,omitempty" enum:"TERMINATED" doc:"A stop that is under way"`
	CreatedAt       time.Time  `json:"createdAt"`
	LastActivityAt  *time.Time `json:"lastActivityAt,omitempty" doc:"To the minute"`
	Limits          Limits     `json:"limits"`
}

// Limits are a session's limits on its engine; zero: the engine's default.
type Limits struct {
	MemoryBytes int64   `json:"memoryBytes,omitempty"`
	CPUs        float64 `json:"cpus,omitempty"`
	DiskBytes   int64   `json:"diskBytes,omitempty"`
}

// Usage is what a running session uses now.
type Usage struct {
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	DiskBytes   int64 `json:"diskBytes,omitempty" doc:"Of its files, without the datasets"`
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

// All returns a page of everybody's sessions for operators, newest first.
func (s *Service) All(ctx context.Context, query AllQuery) (OperatorSessionPage, error) {
	page := OperatorSessionPage{Content: []OperatorSession{}, Number: query.Offset / max(query.Size, 1), Size: query.Size, Warm: []WarmSession{}}
	if _, err := identity.RequireOperator(ctx, operatorsOnly); err != nil {
		return page, err
	}
	unclaimed, err := s.warm.store.All(ctx)
	if err != nil {
		return page, err
	}
	for _, one := range unclaimed {
		page.Warm = append(page.Warm, WarmSession{ID: one.ID, Entry: one.Entry, Name: one.Name, Engine: one.Engine, Phase: one.Phase, CreatedAt: one.CreatedAt})
	}
	found, total, err := s.store.All(ctx, query)
	for _, session := range found {
		page.Content = append(page.Content, s.forOperators(session))
	}
	page.TotalElements = total
	return page, err
}

func (s *Service) forOperators(session Session) OperatorSession {
	shown := OperatorSession{
		ID: session.ID, Owner: session.UserID, Engine: session.Engine, Status: session.Status, StatusReason: session.StatusReason,
		RequestedStatus: session.RequestedStatus, CreatedAt: session.CreatedAt, LastActivityAt: session.LastActivityAt,
	}
	if chosen, err := s.engineOf(session); err == nil {
		size, _ := chosen.sizeOf(session)
		shown.Limits = size.Limits
	}
	return shown
}

// reasonLimit is the maximum length of an operator's reason, in characters.
const reasonLimit = 1000

// StoppedByOperators begins the sentence for the owner of a session that operators stop.
const StoppedByOperators = "The operators stopped this session"

// CheckReason returns the sentence for the owner of a session that operators stop; Invalid without a reason.
func CheckReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || len([]rune(reason)) > reasonLimit || !catalog.ValidText(reason, false) {
		return "", fault.InvalidField("body.reason", "Say why, in 1 to %d characters. The session's owner will see it.", reasonLimit)
	}
	return StoppedByOperators + ": " + reason, nil
}

// StopForOperators stops anybody's session and keeps its work; its owner reads the reason. It doesn't wait for the
// engine. An ended session isn't changed.
func (s *Service) StopForOperators(ctx context.Context, id, reason string) (OperatorSession, error) {
	operator, err := identity.RequireOperator(ctx, operatorsOnly)
	if err != nil {
		return OperatorSession{}, err
	}
	told, err := CheckReason(reason)
	if err != nil {
		return OperatorSession{}, err
	}
	stopped, err := s.store.RequestStop(ctx, id, told)
	if err != nil {
		return OperatorSession{}, err
	}
	s.Logger.InfoContext(ctx, "an operator stopped a session", "session", id, "operator", operator.Email)
	s.announce()
	return s.forOperators(stopped), nil
}
