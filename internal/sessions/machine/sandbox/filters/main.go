// Command filters writes the filters of system calls for the sandbox of a JupyterHub: standard output becomes
// deploy/jupyterhub/cairn_calls.json.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"cairn/internal/sessions/machine/sandbox"
)

func main() {
	filters, err := sandbox.Filters()
	if err == nil {
		to := json.NewEncoder(os.Stdout)
		to.SetIndent("", "  ")
		err = to.Encode(filters)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
