package workarchive

import (
	"fmt"
	"io"
	"strings"
)

// notesName is the file in an archive that lists its differences from the work folder.
const notesName = "About this archive.txt"

// notesMost is its maximum number of lines of each kind.
const notesMost = 500

// archiveNotes are the differences between an archive and the work folder.
type archiveNotes struct {
	omitted, renamed noteLines
}

type noteLines struct {
	lines []string
	more  int
}

func (n *noteLines) add(line string) {
	if len(n.lines) < notesMost {
		n.lines = append(n.lines, line)
		return
	}
	n.more++
}

func (n *archiveNotes) leaveOut(name, why string) { n.omitted.add(fmt.Sprintf("%q: %s", name, why)) }

func (n *archiveNotes) rename(from, to string) {
	n.renamed.add(fmt.Sprintf("%q is here as %q", from, to))
}

func (n *archiveNotes) empty() bool { return len(n.omitted.lines)+len(n.renamed.lines) == 0 }

func (n *archiveNotes) write(w io.Writer) error {
	var text strings.Builder
	for _, part := range []struct {
		title string
		noteLines
	}{
		{"Left out of this archive. It's still in the session's work folder, until the session is deleted.", n.omitted},
		{"Renamed, so that every system can unpack it:", n.renamed},
	} {
		if len(part.lines) == 0 {
			continue
		}
		text.WriteString(part.title + "\r\n\r\n") // line ends for the simplest editors
		for _, line := range part.lines {
			text.WriteString(line + "\r\n")
		}
		if part.more > 0 {
			fmt.Fprintf(&text, "and %d more\r\n", part.more)
		}
		text.WriteString("\r\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}
