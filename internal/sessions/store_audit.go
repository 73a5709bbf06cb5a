package sessions

import (
	"strings"

	"cairn/internal/audit"
)

// AuditEvent returns what somebody does to their own sessions. Names of sessions are nobody else's business.
func AuditEvent(action audit.Action, ids []string, changes ...audit.Change) audit.Event {
	event := audit.Event{
		Action: action, Changes: changes, Object: audit.Object{Type: audit.Session, ID: strings.Join(ids, ","), Private: true},
	}
	if len(ids) > 1 {
		event.Also = ids
	}
	return event
}

// about returns what somebody else does to a session.
func about(session Session, action audit.Action) audit.Event {
	event := AuditEvent(action, []string{session.ID})
	event.Concerns = []string{session.UserID}
	return event
}

func actionOf(wish Status) audit.Action {
	switch wish {
	case Deleted:
		return audit.DeleteSession
	case Erased:
		return audit.EraseSession
	}
	return audit.TerminateSession
}
