// Package sessions runs hosted sessions from projects. session.go has the states and the state machine (next), store.go
// stores sessions, store_access.go tickets and cookies. service.go records what users request, and reconcile.go carries
// it out on the engines. gateway.go is the session origin, the only way to the sessions' servers; gateway_launch.go is
// the page that shows a session starting. The engines themselves are in engine/.
package sessions
