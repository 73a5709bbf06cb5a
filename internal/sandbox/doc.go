// Package sandbox runs commands in boxes: each with its own view of the files, its own network, limits and, as root, an
// account of its own, as far as this machine allows. Open finds out how far that is (Level) and what boxes can reach
// (Reach).
//
// A box is started in a session of its own, without a death signal, so it outlives this server. What is needed to find it
// again is in its Record: Adopt follows it after a kill -9 or an update, and Sweep ends whatever is left of it. All
// processes of a box carry its name in their environment (Options.Variable), so those are found too that a crash left
// before their record was kept.
package sandbox
