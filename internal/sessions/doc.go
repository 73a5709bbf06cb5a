// Package sessions runs hosted sessions from projects. session.go holds the states and the state machine (next),
// store.go keeps sessions, store_access.go tickets and cookies. service.go records what users ask for, and reconcile.go
// carries it out on the engines. gateway.go is the session origin, the only door to what runs; gateway_launch.go is the
// page that shows a session starting. The engines themselves are in engine/.
package sessions
