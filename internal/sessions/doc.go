// Package sessions runs hosted sessions from projects. session.go holds the states and the rule of what comes next,
// store.go keeps them, store_access.go the ways into them, service.go writes down what users ask for, reconcile.go makes
// it true on the engines, gateway.go is the session origin: the only door to what runs, and gateway_launch.go the page
// that shows a session starting. The engines themselves are in engine/.
package sessions
