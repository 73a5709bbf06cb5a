// Package packageindex serves a package index to pip where pip must reach nothing else: in a box that runs the code of
// the packages that it builds. A guard answers by plain HTTP on a listener inside the box; outside, it speaks TLS with
// the real index, and has the password that no box sees. It only serves the pages of projects, and the files that those
// pages list, wherever they are: it rewrites pages so that nothing in them leads past the guard. Files are stored by
// their digest, for all boxes, and no box can change them.
package packageindex
