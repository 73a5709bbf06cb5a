// Package jupytertest is a stand-in for a Jupyter server, for tests of what is around Jupyter: it starts in milliseconds and
// its kernels run cells in plain Python. It answers as the real one does; a test of the local engine compares the two.
package jupytertest
