package operators

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
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
	EngineLabel     string          `json:"engineLabel" doc:"Its name for people"`
	EntryID         string          `json:"entryId,omitempty" format:"uuid" doc:"The entry that it runs; absent if that isn't public"`
	EntryName       string          `json:"entryName,omitempty" doc:"The name of that entry"`
	EntryType       catalog.Type    `json:"entryType,omitempty" enum:"REPOSITORY,NOTEBOOK,DATASET" doc:"The type of that entry"`
	Status          sessions.Status `json:"status" enum:"CREATED,RUNNING,FINISHED,TERMINATED,ERROR"`
	StatusReason    string          `json:"statusReason"`
	RequestedStatus sessions.Status `json:"requestedStatus,omitempty" enum:"TERMINATED" doc:"A stop that is under way"`
	CreatedAt       time.Time       `json:"createdAt"`
	LastActivityAt  *time.Time      `json:"lastActivityAt,omitempty" doc:"To the minute"`
	Limits          sizes.Limits    `json:"limits"`
	IsJob           bool            `json:"isJob,omitempty" doc:"A job runs in it, and nobody works there"`
	Usage           *sessions.Usage `json:"usage,omitempty" doc:"RUNNING: what it uses now, as far as its engine knows"`

	entry string // the id of its entry, public or not
}

// Order is what the sessions are sorted by.
type Order string

// The orders. Those by usage have the sessions that live alone, because the others use nothing.
const (
	Newest   Order = "newest"
	ByMemory Order = "memory"
	ByCPUs   Order = "cpus"
	ByDisk   Order = "disk"
)

// orders compare what sessions use; the one that uses more comes first.
var orders = map[Order]func(a, b sessions.Usage) int{
	ByMemory: func(a, b sessions.Usage) int { return cmp.Compare(b.MemoryBytes, a.MemoryBytes) },
	ByCPUs:   func(a, b sessions.Usage) int { return cmp.Compare(b.CPUs, a.CPUs) },
	ByDisk:   func(a, b sessions.Usage) int { return cmp.Compare(b.DiskBytes, a.DiskBytes) },
}

// measuredLimit is how many sessions are measured to be sorted; the newest are.
const measuredLimit = 5_000

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
	Entries sessions.Entries
	Engines sizes.Engines
	Changes *sessions.Changes
	Logger  *slog.Logger
}

// All returns a page of everybody's sessions for operators; "" is Newest.
func (s *Service) All(ctx context.Context, query sessions.AllQuery, order Order) (OperatorSessionPage, error) {
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
	compare, byUsage := orders[order]
	wanted := query
	if byUsage {
		wanted.Live, wanted.Offset, wanted.Size = true, 0, measuredLimit
	}
	found, total, err := s.Store.All(ctx, wanted)
	for _, session := range found {
		page.Content = append(page.Content, s.forOperators(ctx, session))
	}
	if byUsage {
		slices.SortStableFunc(page.Content, func(a, b OperatorSession) int { return compare(a.used(), b.used()) })
		from := min(query.Offset, len(page.Content))
		page.Content = page.Content[from:min(from+query.Size, len(page.Content))]
	}
	page.TotalElements = total
	if err == nil {
		err = s.nameEntries(ctx, page.Content)
	}
	return page, err
}

// used returns what a session uses; nothing where that isn't known.
func (o OperatorSession) used() sessions.Usage {
	if o.Usage == nil {
		return sessions.Usage{}
	}
	return *o.Usage
}

// nameEntries adds the names of those entries that everybody may see: what operators may open beyond that is their own.
func (s *Service) nameEntries(ctx context.Context, shown []OperatorSession) error {
	anybody := identity.With(ctx, identity.Caller{})
	known := map[string]catalog.Resource{}
	for i := range shown {
		one := &shown[i]
		entry, asked := known[one.entry]
		if !asked && one.entry != "" {
			var err error
			if entry, err = s.Entries.Get(anybody, one.entry); err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
			known[one.entry] = entry
		}
		if entry.Privacy == catalog.PrivacyPublic {
			one.EntryID, one.EntryName, one.EntryType = entry.ID, entry.Name, entry.Type
		}
	}
	return nil
}

func (s *Service) forOperators(ctx context.Context, session sessions.Session) OperatorSession {
	shown := OperatorSession{
		ID: session.ID, Owner: session.UserID, Engine: session.Engine, EngineLabel: session.Engine, entry: session.EntryID(), Status: session.Status, StatusReason: session.StatusReason,
		RequestedStatus: session.RequestedStatus, CreatedAt: session.CreatedAt, LastActivityAt: session.LastActivityAt, IsJob: session.Job != "",
	}
	if chosen, err := s.Engines.Of(session.Engine); err == nil {
		size, _ := chosen.Profile(session.Source.Profile)
		shown.Limits, shown.EngineLabel = size.Limits, chosen.Label
	}
	shown.Usage, _ = sessions.UsageOf(ctx, s.Engines, session)
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
	shown := []OperatorSession{s.forOperators(ctx, stopped)}
	if err := s.nameEntries(ctx, shown); err != nil { // it is being stopped all the same
		s.Logger.WarnContext(ctx, "the entry of a stopped session can't be named", "session", id, "error", err)
	}
	return shown[0], nil
}
