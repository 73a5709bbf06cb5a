// Package installation is what a server and the commands beside it share on a machine: the data folder with its lock and its notes,
// the database, the listeners and the engines.
package installation
