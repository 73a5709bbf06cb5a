// Package environments installs the packages that repositories ask for. An environment is a virtual environment on top of this
// server's packages. It is made once for the same packages, by pip or by the operators' builder, as an account that can't see any
// session, and then belongs to nobody who could change it; sessions that ask for the same share it.
//
// What can't be installed is left out and said, rather than failing the launch: check.py asks pip first which packages there
// are.
package environments
