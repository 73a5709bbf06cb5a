package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
)

// Action says what was done.
type Action string

// The actions.
const (
	AddAccount    Action = "account.add" // by signing in for the first time
	ChangeAccount Action = "account.change"
	DecideAccount Action = "account.decide"
	SignOut       Action = "account.sign_out"

	ImportCatalog Action = "catalog.import"

	AddEntry     Action = "entry.add"
	EditEntry    Action = "entry.edit"
	SyncEntry    Action = "entry.sync"
	LeaveEntry   Action = "entry.leave"
	DeleteEntry  Action = "entry.delete"
	StarEntry    Action = "entry.star"
	UnstarEntry  Action = "entry.unstar"
	ReportEntry  Action = "entry.report"
	CurateEntry  Action = "entry.curate"
	CloseReports Action = "entry.close_reports"
	EraseEntry   Action = "entry.erase"

	RenewEntry      Action = "entry.renew" // with another content
	WithdrawVersion Action = "entry.withdraw"
	DepositEntry    Action = "entry.deposit" // at an archive
	DiscardDeposit  Action = "entry.discard_deposit"

	AddProject    Action = "project.add"
	EditProject   Action = "project.edit"
	DeleteProject Action = "project.delete"
	ShareProject  Action = "project.share"  // with a member, or with another role
	LeaveProject  Action = "project.leave"  // by the member, or because the owner removed them
	OfferProject  Action = "project.offer"  // to somebody who is to own it, or withdraw that
	AcceptProject Action = "project.accept" // as its new owner
	RefuseProject Action = "project.refuse"

	StartSession     Action = "session.start"
	OpenSession      Action = "session.open"
	RestartSession   Action = "session.restart"
	KeepSession      Action = "session.keep"
	DownloadSession  Action = "session.download"
	TerminateSession Action = "session.terminate"
	StopSession      Action = "session.stop" // by operators
	DeleteSession    Action = "session.delete"
	UndeleteSession  Action = "session.undelete"
	EraseSession     Action = "session.erase" // forever
	NameVersion      Action = "session.name_version"
	FinishNotebook   Action = "session.finish"
	RestoreVersion   Action = "session.restore"
	ShareSession     Action = "session.share"
	UnshareSession   Action = "session.unshare"
	JoinSession      Action = "session.join"   // by following a link for the first time
	EnterSession     Action = "session.enter"  // of somebody else, to see it or to work in it
	AskSession       Action = "session.ask"    // the help desk to look at it, or its owner to be let in
	AnswerSession    Action = "session.answer" // such a request

	StartJob    Action = "job.start"
	EndJob      Action = "job.end" // by canceling it, or deleting one that has ended
	UndeleteJob Action = "job.undelete"

	AddSchedule    Action = "schedule.add"
	PauseSchedule  Action = "schedule.pause" // or let it go on
	DeleteSchedule Action = "schedule.delete"

	StartRun Action = "run.start"
	StopRun  Action = "run.stop"

	AddWorkshop    Action = "workshop.add"
	EditWorkshop   Action = "workshop.edit"
	OpenWorkshop   Action = "workshop.open"   // before its time
	RenewWorkshop  Action = "workshop.renew"  // its code
	ExtendWorkshop Action = "workshop.extend" // by more time
	EndWorkshop    Action = "workshop.end"
	DeleteWorkshop Action = "workshop.delete"
	JoinWorkshop   Action = "workshop.join" // or come back to a seat
	FreeSeat       Action = "workshop.free"
	RaiseHand      Action = "workshop.hand" // or lower it
	TellWorkshop   Action = "workshop.tell" // all seats something
	HandOut        Action = "workshop.hand_out"

	CreateToken Action = "token.create"
	RevokeToken Action = "token.revoke"

	TryConnection    Action = "connection.try" // to see what it grants
	AddConnection    Action = "connection.add" // once its owner has seen what it grants
	DeleteConnection Action = "connection.delete"
)

// Actions are all actions.
var Actions = []Action{
	AddAccount, ChangeAccount, DecideAccount, SignOut, ImportCatalog, AddEntry, EditEntry, SyncEntry, LeaveEntry, DeleteEntry, StarEntry,
	UnstarEntry, ReportEntry, CurateEntry, CloseReports, EraseEntry, RenewEntry, WithdrawVersion, DepositEntry, DiscardDeposit, AddProject, EditProject, DeleteProject, ShareProject, LeaveProject, OfferProject,
	AcceptProject, RefuseProject, StartSession, OpenSession,
	RestartSession, KeepSession, DownloadSession, TerminateSession, StopSession, DeleteSession, UndeleteSession, EraseSession, NameVersion,
	FinishNotebook, RestoreVersion, ShareSession, UnshareSession, JoinSession, EnterSession, AskSession, AnswerSession, StartJob, EndJob, UndeleteJob, AddSchedule, PauseSchedule, DeleteSchedule, StartRun, StopRun,
	AddWorkshop, EditWorkshop, OpenWorkshop, RenewWorkshop, ExtendWorkshop, EndWorkshop, DeleteWorkshop, JoinWorkshop, FreeSeat, RaiseHand, TellWorkshop, HandOut,
	CreateToken, RevokeToken, TryConnection, AddConnection, DeleteConnection,
}

// ofOperators are the actions that only operators do. Those whom they concern aren't told which of them it was.
var ofOperators = []Action{DecideAccount, ImportCatalog, CurateEntry, CloseReports, EraseEntry, StopSession}

// ObjectType is a kind of things that people change.
type ObjectType string

// The types of objects. The id of an account is its e-mail address, because operators also decide about people who haven't
// signed in yet.
const (
	Account    ObjectType = "account"
	Catalog    ObjectType = "catalog"
	Connection ObjectType = "connection"
	Entry      ObjectType = "entry"
	Job        ObjectType = "job"
	Project    ObjectType = "project"
	Schedule   ObjectType = "schedule"
	Session    ObjectType = "session"
	Token      ObjectType = "token"
	Workshop   ObjectType = "workshop"
)

// Object is what an event is about.
type Object struct {
	Type    ObjectType
	ID      string
	Name    string
	Private bool // not everybody may see it: neither its name nor the values of private columns are stored
}

// Event is a change that somebody makes.
type Event struct {
	Action   Action
	Object   Object
	Changes  []Change
	Concerns []string // e-mail addresses of others who see the record among their activity
	Also     []string // ids of further objects of the same type
}

// Change is a column that an event changes.
type Change struct {
	Column   string // as in "resource.name"
	Old, New any
}

// Actor is who makes changes.
type Actor struct{ AccountID, Email string }

// Command is the actor of records that commands leave.
const Command = "command"

type actorKey struct{}

// As adds who makes changes to a context.
func As(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// Record writes the record of an event in the transaction of the change. Without an actor in the context the record is a
// command's, unless the context is that of a request: such a change is refused.
func Record(ctx context.Context, tx *sqldb.Tx, event Event) error {
	actor, known := ctx.Value(actorKey{}).(Actor)
	if !known && httpapi.RequestID(ctx) != "" {
		return fault.New(fault.Internal, "the change %s was requested by nobody", event.Action)
	}
	changes, err := stored(event)
	if err != nil {
		return err
	}
	name := event.Object.Name
	if event.Object.Private {
		name = ""
	}
	who := cmp.Or(actor.Email, actor.AccountID, Command)
	return insert(tx, record{
		id: sqldb.NewID(), at: sqldb.Micros(tx.Now), actorID: actor.AccountID, actor: who, action: event.Action,
		objectType: event.Object.Type, objectID: event.Object.ID, objectName: name, changes: changes,
		address: httpapi.ClientAddress(ctx), requestID: httpapi.RequestID(ctx), concerns: concerned(event, who),
	})
}

// RecordAll records events in their order.
func RecordAll(ctx context.Context, tx *sqldb.Tx, events []Event) error {
	for _, event := range events {
		if err := Record(ctx, tx, event); err != nil {
			return err
		}
	}
	return nil
}

// concerned returns whom and what a record is about besides its actor and its object, in order.
func concerned(event Event, actor string) []string {
	all := slices.Concat(event.Concerns, event.Also)
	all = slices.DeleteFunc(all, func(whom string) bool { return whom == "" || whom == actor || whom == event.Object.ID })
	slices.Sort(all)
	return slices.Compact(all)
}

// ChangedValue is what is shown of a changed field: its values before and after, unless they are secret.
type ChangedValue struct {
	Old    any  `json:"old,omitempty"`
	New    any  `json:"new,omitempty"`
	Secret bool `json:"secret,omitempty" doc:"It changed, and its values aren't recorded"`
}

// Changes are the changed fields by name.
type Changes map[string]ChangedValue

// stored returns the changes of an event as JSON, without what doesn't differ and without what may not be stored.
func stored(event Event) (string, error) {
	changes := Changes{}
	for _, change := range event.Changes {
		if isSame(change.Old, change.New) {
			continue
		}
		column, known := find(change.Column)
		switch {
		case !known || column.class == ignored:
			return "", fault.New(fault.Internal, "changes of the column %s aren't recorded", change.Column)
		case column.class == secret, column.class == private && event.Object.Private:
			changes[column.name] = ChangedValue{Secret: true}
		default:
			changes[column.name] = ChangedValue{Old: shortened(change.Old), New: shortened(change.New)}
		}
	}
	text, err := json.Marshal(changes)
	return string(text), err
}

func isSame(old, now any) bool {
	before, err := json.Marshal(old)
	if err != nil {
		return false
	}
	after, err := json.Marshal(now)
	return err == nil && (string(before) == string(after) || (empty(string(before)) && empty(string(after))))
}

func empty(value string) bool {
	return slices.Contains([]string{"null", `""`, "[]", "false", "0"}, value)
}

// textLimit is the number of characters that are stored of a text.
const textLimit = 1000

// shortened returns a value with its texts cut.
func shortened(value any) any {
	switch value := value.(type) {
	case string:
		if runes := []rune(value); len(runes) > textLimit {
			return string(runes[:textLimit]) + "…"
		}
	case []string:
		cut := make([]string, len(value))
		for i, text := range value {
			cut[i], _ = shortened(text).(string)
		}
		return cut
	}
	return value
}
