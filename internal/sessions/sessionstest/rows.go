package sessionstest

import (
	"database/sql"
	"fmt"
	"slices"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/reconcile"
	"cairn/internal/sessions/warm"
	"cairn/internal/sessions/work"
)

// Create writes a session of Ann's down without the service.
func (w *World) Create(name, key string, limit int) (id string, err error) {
	return w.Store.Create(w.T.Context(), sessions.Session{
		SessionName: name, UserID: w.Ann.Email, Engine: "local", AccountID: w.Ann.AccountID,
		Project: sessions.Holds{ID: "p1", Name: "notes", Repository: sessions.Part{ID: w.ID("tools"), Address: "https://github.com/example/tools"}, Datasets: []sessions.Part{}},
	}, key, 5*time.Second, limit)
}

// Created creates a session of Ann's without the service.
func (w *World) Created(name string) sessions.Session {
	w.T.Helper()
	id, err := w.Create(name, "", 100)
	Check(w.T, err)
	return w.Row(id)
}

// Settled creates a session that is in a state.
func (w *World) Settled(name string, status sessions.Status) sessions.Session {
	w.T.Helper()
	session := w.Created(name)
	changed, err := w.Store.Settle(w.T.Context(), session, status, "")
	Check(w.T, err)
	if !changed {
		w.T.Fatal("nothing was settled")
	}
	return w.Row(session.ID)
}

// Connect opens connections beforehand: while they open one by one, transactions hardly meet.
func (w *World) Connect(count int) {
	w.T.Helper()
	connections := make([]*sql.Conn, min(count, w.Database.Stats().MaxOpenConnections))
	for i := range connections {
		var err error
		connections[i], err = w.Database.Conn(w.T.Context())
		Check(w.T, err)
	}
	for _, connection := range connections {
		Check(w.T, connection.Close())
	}
}

// Operator is an account that looks after the others.
func (w *World) Operator() identity.Caller {
	w.T.Helper()
	Check(w.T, w.Accounts.Decide(w.T.Context(), []identity.Grant{{Email: "olga@example.org", Enabled: true, Role: identity.RoleOperator}}, false))
	return w.Person("olga")
}

// Publish imports an entry again with another privacy.
func (w *World) Publish(externalID string, kind catalog.Type, address string, privacy catalog.Privacy) {
	w.T.Helper()
	entry := catalog.Entry{
		ExternalID: externalID, Name: "Entry " + externalID, Type: kind, Authors: []string{"bob@example.org"}, Privacy: privacy,
	}
	if kind == catalog.Dataset {
		entry.DatasetURL = address
	} else {
		entry.RepositoryURL = address
	}
	Check(w.T, w.Catalog.Import(w.T.Context(), []catalog.Entry{entry}))
}

// Ids that no session has.
const (
	SomeID  = "01900000-0000-7000-8000-00000000000a"
	OtherID = "01900000-0000-7000-8000-00000000000b"
)

// SpecOf returns what an engine is asked for when the owner may read all parts.
func (w *World) SpecOf(session sessions.Session) engine.Spec {
	w.T.Helper()
	readable := map[string]bool{session.Project.Repository.ID: true}
	if session.Resource != nil {
		readable[session.Resource.ID] = true
	}
	for _, part := range session.Project.Datasets {
		readable[part.ID] = true
	}
	spec, err := w.Options.Resolver.Spec(w.T.Context(), session, readable)
	Check(w.T, err)
	return spec
}

// WarmStore is where warm sessions are stored.
func (w *World) WarmStore() *warm.Store { return warm.NewStore(w.Database) }

// Saved makes a version of a running session with these files.
func (w *World) Saved(id string, files map[string]string) work.Version {
	w.T.Helper()
	for name, content := range files {
		w.Machine.Put(id, name, content)
	}
	w.Clock.Advance(time.Minute)
	made, err := w.Server.Work.SaveVersion(w.As(w.Ann), id, "step")
	Check(w.T, err)
	return made
}

// HourAndWorkday are limits for idle sessions: an hour without tabs, eight with open ones.
var HourAndWorkday = reconcile.IdleLimits{Closed: time.Hour, Open: 8 * time.Hour}

// OpenAround opens a server like the one before, with another engine around the first one of the machine.
func (w *World) OpenAround(around func(one engine.Engine) engine.Engine) *Server {
	w.NewService()
	first := &w.Options.Engines.All[0]
	first.Engine = around(first.Engine)
	w.Server = w.Open(w.Options)
	return w.Server
}

// OpenSockets returns how many websockets into a session are open.
func (w *World) OpenSockets(sessionID string) int {
	return w.Server.Gateway.Sockets.OpenSockets(sessionID)
}

// KeepsWarm opens a service that keeps sessions warm, on a machine where every launch succeeds at once.
func (w *World) KeepsWarm(wants ...warm.Want) *Server {
	w.Machine = fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true, Shows: engine.Lab} }, nil, w.Clock.Now)
	w.Options.Warm = wants
	w.Server = w.NewService()
	return w.Server
}

// WarmOnes returns the warm sessions in a phase.
func (w *World) WarmOnes(phase warm.Phase) (found []warm.Session) {
	w.T.Helper()
	all, err := w.WarmStore().All(w.T.Context())
	Check(w.T, err)
	return slices.DeleteFunc(all, func(one warm.Session) bool { return one.Phase != phase })
}

// WarmUp waits until so many warm sessions are ready, and no others are there.
func (w *World) WarmUp(count int) (ready []warm.Session) {
	w.T.Helper()
	Eventually(w.T, fmt.Sprint("warm sessions: ", count), func() bool {
		ready = w.WarmOnes(warm.Ready)
		all, err := w.WarmStore().All(w.T.Context())
		Check(w.T, err)
		return len(ready) == count && len(all) == count
	})
	return ready
}

// StartFrom starts a session of Ann's.
func (w *World) StartFrom(asked sessions.StartRequest) sessions.Session {
	w.T.Helper()
	session, err := w.Server.StartFrom(w.As(w.Ann), asked)
	Check(w.T, err)
	return session
}
