// Package viewing shows sessions to people who may see them: what their notebooks show and which files there are, a second or two after it
// is so. Each notebook that somebody looks at is asked for once a second, for all who look at it, and each change is written once, as
// bytes that are sent to all of them; no request of theirs reaches a session. A guard looks every two seconds whether all of them still
// may, with a handful of queries however many they are.
//
// The package may import sessions, shares, sizes and the broker's types, and is imported by the wiring alone.
package viewing
