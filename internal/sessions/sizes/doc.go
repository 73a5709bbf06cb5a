// Package sizes knows the engines as operators configured them, and the sizes of sessions that people choose from on each. It
// decides which engine and which size a new session gets, and says why none fits. It holds no state and asks nobody: whoever
// uses it brings the session's needs and the person who chooses.
package sizes
