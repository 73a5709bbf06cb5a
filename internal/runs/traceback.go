package runs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"cairn/internal/runs/executor"
)

// colors are what IPython colors its tracebacks with, in terminals.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// endOf returns the end of the log of an execution that ended early: at which cell and why, with its traceback if it raised an
// exception.
func endOf(executed executor.Executed) string {
	switch {
	case executed.Ending == executor.Finished:
		return ""
	case executed.Ending != executor.Raised && executed.EndedAt >= 0:
		return fmt.Sprintf("\nThe run ended at the code cell %d of %d:\n%s\n", executed.EndedAt+1, len(executed.Cells), executed.Reason)
	case executed.Ending != executor.Raised:
		return "\nThe run ended before the first cell:\n" + executed.Reason + "\n"
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
