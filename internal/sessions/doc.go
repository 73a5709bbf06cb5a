// Package sessions is what people may wish of hosted sessions, and what is stored of them. Each row says what is wanted and what
// people see; reconcile.Reconciler alone makes the one become the other. The rooms around it:
//
//	sizes      engines as operators configured them, and the sizes that people choose from; pure
//	reconcile  carries requests out on the engines and records what these report; the state machine is its next
//	origin     the session origin, the only way to the sessions' servers; tickets, cookies, websockets, the launch page
//	work       downloads and versions of work
//	batch      sessions in which the catalog runs its own entries
//	operators  everybody's sessions, for operators
//	warm       which sessions run before anybody asks for them
//	diagnosis  why a launch failed, from codes and logs
//	engine     the contract of engines; below it local and hub engines
//	wiring     puts these together
//
// Routes of this package: GET /hub/start/project/{id}, GET /hub/resume/session/{id}, POST /sessions, GET /sessions and /sessions/{id},
// PATCH and DELETE on these, POST /sessions/{id}/undelete, GET /sessions/forecast, /sessions/profiles, /sessions/{id}/log, and
// GET /resources/public/{id}/environment.
//
// State: the table session (Store), with the number of each account's list; launch (LaunchTimes); batch_place (BatchSlots).
// A call changes a row and announces it (Changes); the reconciler of this process and, through the feed, those of others wake.
// The service holds nothing between calls.
package sessions
