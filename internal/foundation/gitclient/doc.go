// Package gitclient runs git to read repositories of others, with limits.
//
// git reads no configuration but its own, asks nobody for a password, runs no hooks, reaches hosts through a proxy that refuses private
// addresses, and has limits of time, memory, and what it receives and writes. Nothing is checked out, so no filter runs. Unlike for sessions,
// it runs neither in a box nor as another account.
package gitclient
