// Package commands has the work of the commands for operators. Each function takes the configuration and what the command line
// says, and prints for people. All of them may run beside the server.
package commands
