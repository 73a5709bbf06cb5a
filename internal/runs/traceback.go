package runs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"cairn/internal/executor"
)

// colors are what IPython colors its tracebacks with, in terminals.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// tracebackOf returns the end of the log of an execution that an exception ended: which cell it was, and its traceback.
func tracebackOf(executed executor.Executed) string {
	if executed.Ending != executor.Raised {
		return ""
	}
	var notebook struct {
		Cells []struct {
			Outputs []struct {
				Type      string   `json:"output_type"`
				Traceback []string `json:"traceback"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	failed := executed.Cells[executed.EndedAt]
	if err := json.Unmarshal(executed.Notebook, &notebook); err != nil || failed.Index >= len(notebook.Cells) {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\nThe code cell %d of %d failed:\n", executed.EndedAt+1, len(executed.Cells))
	for _, output := range notebook.Cells[failed.Index].Outputs {
		if output.Type == "error" {
			text.WriteString(colors.ReplaceAllString(strings.Join(output.Traceback, "\n"), "") + "\n")
		}
	}
	return text.String()
}
