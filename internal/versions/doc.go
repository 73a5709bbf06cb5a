// Package versions keeps states of folders, so that each can be brought back: whole, or a file of it.
package versions
