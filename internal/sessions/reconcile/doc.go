// Package reconcile carries out what people requested of their sessions, and records what engines report.
//
// Two state machines meet here. One is the row of a session in the database, which says what is wanted and what people see;
// the other is the engine's own, of which there are only reports. A pass reads both for every session of an engine, and next
// decides, from these two alone, what is to be done. Nothing is remembered between passes that the next one couldn't find
// out again: a server may be killed at any point, and another one goes on.
//
//	CREATED (queued) -> CREATED (launched) -> RUNNING -> FINISHED | TERMINATED | ERROR -> CREATED
//
// Who wakes whom: sessions.Changes wakes every loop when a row changed, here or in another process; an engine wakes the loop
// of its own sessions; and every loop looks again after two seconds. Each engine has a loop, so that one that hangs delays no
// other. Operations that may take seconds run beside the loop, at most one for each session.
//
// The package may import sessions, sizes, warm, diagnosis and the contract of engines, and is imported by the wiring alone.
package reconcile
