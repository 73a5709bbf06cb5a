package diagnosis_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/diagnosis"
)

// answer is the right explanation of a recorded failure.
type answer struct {
	name   string
	code   diagnosis.Code
	who    diagnosis.Who
	part   string         // of the sentence or the fix
	engine diagnosis.Code // what the engine knows where the log can't tell
}

func answers(t *testing.T, file string) []answer {
	t.Helper()
	opened, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var all []answer
	for lines := bufio.NewScanner(opened); lines.Scan(); {
		fields := append(strings.Split(lines.Text(), "\t"), "")
		all = append(all, answer{fields[0], diagnosis.Code(fields[1]), diagnosis.Who(fields[2]), fields[3], diagnosis.Code(fields[4])})
	}
	return all
}

// steps are where the failures of a kind happen; all others in Jupyter.
var steps = map[string]diagnosis.Step{"git": diagnosis.Clone, "pip": diagnosis.Install}

// explained counts the failures of a file that are explained rightly from the logs in a folder, and those that get advice
// about another cause.
func explained(t *testing.T, file, logs string) (right, wrong int) {
	t.Helper()
	for _, want := range answers(t, file) {
		log, err := os.ReadFile(filepath.Join(logs, want.name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		_, kind, _ := strings.Cut(want.name, "_of_")
		step, there := steps[kind]
		if !there {
			step = diagnosis.Run
		}
		got := diagnosis.Explain(diagnosis.Failure{
			Step: step, Log: string(log), Datasets: []string{"spikes"}, Code: want.engine, Reason: "What the engine knows.",
		})
		switch {
		case got.Code == want.code && got.Who == want.who && strings.Contains(strings.ToLower(got.Sentence+" "+got.Fix), strings.ToLower(want.part)):
			right++
			continue
		case got.Code != "" && got.Code != want.code:
			wrong++
		}
		t.Logf("%s: want %s by %s with %q, got %+v", want.name, want.code, want.who, want.part, got)
	}
	return right, wrong
}

// hold explains each set of 25 failures. At least 45 of 50 are to be explained rightly, and at most one of 50 gets advice
// about another cause.
func hold(t *testing.T, logs string) {
	t.Helper()
	known, wrongKnown := explained(t, "known.tsv", logs)
	blind, wrongBlind := explained(t, "blind.tsv", logs)
	unseen, wrongUnseen := explained(t, "unseen.tsv", logs)
	t.Logf("Explained of 25 each: %d known, %d blind and %d unseen; wrong advice: %d, %d and %d.",
		known, blind, unseen, wrongKnown, wrongBlind, wrongUnseen)
	for _, others := range []struct{ right, wrong int }{{blind, wrongBlind}, {unseen, wrongUnseen}} {
		if right, wrong := known+others.right, wrongKnown+others.wrong; right < 45 || wrong > 1 {
			t.Errorf("%d of 50 are explained, and %d get wrong advice; wanted are at least 45 and at most 1", right, wrong)
		}
	}
}

func TestRecordedFailuresAreExplained(t *testing.T) { hold(t, filepath.Join("testdata", "logs")) }

// TestThoroughFailuresAreExplained fails again in all 75 ways, with the programs of this machine.
func TestThoroughFailuresAreExplained(t *testing.T) {
	logs := t.TempDir()
	if output, err := exec.Command("bash", "testdata/fail.sh", logs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	hold(t, logs)
}
