// Package operators shows operators everybody's sessions, without the names that are private to their owners, and stops them.
//
//	GET   /operator/sessions       a page of them, and the warm sessions
//	PATCH /operator/sessions/{id}  stops one, with a reason that its owner reads
//
// What it shows is in sessions.Store and warm.Store; it holds no state.
package operators
