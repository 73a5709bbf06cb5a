// Package hubtest is a stand-in for a JupyterHub with its proxy and its servers, for tests and benchmarks that need hundreds
// of servers, or a hub that is slow or broken. It answers as the real one does; a test of the engine compares the two. It
// knows nothing of the product.
package hubtest
