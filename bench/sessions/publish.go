package sessions

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cairn/bench/report"
)

// part is a part of the file of results.
type part struct {
	name, title string
	about       []string // what was measured, a line each
	table       report.Table
	aims        []report.Aim
	notes       string // what explains the figures; may be empty
}

// publish prints a part, and replaces it in the file of results if there is one. Its error says which aims were missed.
func publish(out io.Writer, results string, p part) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\nWritten by `make bench BENCH=%s ARGS=\"--results bench/RESULTS.md\"` on %s.\n\n- %s\n",
		p.title, p.name, time.Now().UTC().Format(time.DateOnly), report.Machine())
	for _, line := range p.about {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	verdicts := report.Table{Columns: []string{"aim", "limit", "measured", "verdict"}}
	var missed []error
	for _, aim := range p.aims {
		bound := "at most "
		if aim.AtLeast {
			bound = "at least "
		}
		verdicts.Add(aim.Text, bound+aim.Format(aim.Limit), aim.Format(aim.Measured), aim.Verdict())
		if !aim.Met() {
			missed = append(missed, fmt.Errorf("missed: %s %s%s, measured %s", aim.Text, bound, aim.Format(aim.Limit), aim.Format(aim.Measured)))
		}
	}
	fmt.Fprintf(&text, "\n%s\n%s", verdicts.String(), p.table.String())
	if p.notes != "" {
		text.WriteString("\n" + p.notes + "\n")
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return err
	}
	if results != "" {
		missed = append(missed, report.WritePart(results, p.name, text.String()))
	}
	return errors.Join(missed...)
}
