// Package handouts carries what the host of a workshop hands out to the running sessions of all seats: files that the host uploads, and
// those that a newer commit of the workshop's repository changes. What is handed out is laid beside what people changed, never over it.
//
// deliver.go puts a bundle into one session through Jupyter's contents API (contents.go). repositories.go finds what changed between two
// commits, with git (git.go). The package knows nothing of workshops, seats and rights, keeps nothing, and starts nothing by itself: callers
// record what is to be delivered where, and deliver it again after a crash.
package handouts
