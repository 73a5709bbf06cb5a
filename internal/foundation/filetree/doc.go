// Package filetree walks and removes trees of files that hostile programs made and may still be changing. It reaches
// everything by the descriptor of its parent folder and never follows a link, so it stays below the folder that it
// was asked for. Its work grows with the number of files, whatever the depth, and its descriptors and memory are
// bounded.
package filetree
