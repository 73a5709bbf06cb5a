package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/fault"
)

// examination is one thing that Doctor looks at. It returns in a few words what it saw, or what to fix, each in a sentence
// and what to do; neither where there is nothing to look at.
type examination struct {
	name string
	look func(ctx context.Context, on *examined) (saw string, findings []finding)
}

// finding is something that an operator should fix.
type finding struct{ what, fix string }

// examined is the installation that Doctor looks at.
type examined struct {
	config  Config // valid, with the path of the data folder
	running bool   // a server runs on the data folder
	now     func() time.Time
	client  *http.Client
	resolve func(ctx context.Context, host string) error
}

// examinations are all of them, in the order in which they are printed. They change nothing.
func examinations() []examination {
	return []examination{
		{"start", examineStart},
		{"account", examineAccount},
		{"files", examineFiles},
		{"disk", examineDisk},
		{"open files", examineHandles},
		{"database", examineDatabase},
		{"records", examineRecords},
		{"datasets", examineDatasets},
		{"versions", examineVersions},
		{"backup", examineBackup},
		{"certificate", examineCertificate},
		{"public address", examinePublicAddress},
		{"names", examineNames},
		{"clock", examineClock},
		{"identity provider", examineProvider},
		{"engines", examineEngines},
	}
}

// examinationTime limits one examination.
const examinationTime = time.Minute

// Doctor examines an installation and prints one line for each thing: what it is like, or what is wrong and what to do. Its
// error says how much there is to fix. A configuration with faults is reported alone, because all the rest depends on it.
func Doctor(ctx context.Context, config Config, out io.Writer) error {
	count := 0
	tell := func(name, saw string, findings []finding) {
		for _, one := range findings {
			_, _ = fmt.Fprintf(out, "problem  %s: %s\n", name, strings.TrimSpace(one.what+" "+one.fix))
		}
		if saw != "" && len(findings) == 0 {
			_, _ = fmt.Fprintf(out, "ok       %s: %s\n", name, saw)
		}
		count += len(findings)
	}
	if faults := config.allFaults(); len(faults) > 0 {
		tell("configuration", "", findingsOf(faults))
	} else {
		tell("configuration", "it can be used", nil)
		for _, warning := range config.Warnings() { // what somebody decided is nothing to fix
			_, _ = fmt.Fprintf(out, "note     configuration: %s\n", warning)
		}
		on := newExamined(config)
		for _, one := range examinations() {
			bounded, cancel := context.WithTimeout(ctx, examinationTime)
			saw, findings := one.look(bounded, on)
			cancel()
			tell(one.name, saw, findings)
		}
	}
	switch count {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "There is 1 thing to fix.")
	}
	return fault.New(fault.Conflict, "There are %d things to fix.", count)
}

func newExamined(config Config) *examined {
	if path, err := filepath.Abs(config.Data); err == nil {
		config.Data = path
	}
	return &examined{
		config: config.withDemoDefaults(), running: isLocked(config.Data), now: time.Now,
		client: &http.Client{Timeout: outgoingTime, Transport: localNames()},
		resolve: func(ctx context.Context, host string) error {
			_, err := net.DefaultResolver.LookupHost(ctx, host)
			return err
		},
	}
}

// findingsOf returns findings whose sentences say what to do themselves.
func findingsOf(sentences []string) []finding {
	var findings []finding
	for _, one := range sentences {
		findings = append(findings, finding{what: one})
	}
	return findings
}

// examineStart looks for everything for which the server would refuse to start.
func examineStart(ctx context.Context, on *examined) (string, []finding) {
	notes, faults := startFaults(ctx, on.config)
	if len(notes) > 0 {
		return strings.Join(notes, " "), findingsOf(faults)
	}
	return "the server can start", findingsOf(faults)
}
