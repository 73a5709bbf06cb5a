// Package sandbox runs commands in boxes. As far as this machine allows, each has a separate view of the files, its
// network, limits and, as root, an account, and its system calls are filtered. Open finds out how far that is (Level,
// Unfiltered) and what boxes can reach (Reach).
//
// A box is started in a new session, without a death signal, so it outlives this server. Its Record contains what is
// needed to find it again: Adopt follows it after a kill -9 or an update, and Sweep ends whatever is left of it. All
// processes of a box carry its name in their environment (Options.Variable), so a sweep also finds processes from
// before a crash that left no record.
package sandbox
