// Package comparator says how the outputs of a fresh run of a notebook differ from those that its author stored. It
// reads nothing but what it is given: the author's notebook, the executed one and, when these differ, that of a second
// fresh run in the same environment, which tells what varies on its own.
//
// Notebooks are read one after the other by Read, which keeps nothing of the file, and then compared by Compare. Whatever
// they contain, both together need less than 256 MiB beside the file that is being read: what is beyond a limit is
// compared by its digest alone, and the result says so.
package comparator
