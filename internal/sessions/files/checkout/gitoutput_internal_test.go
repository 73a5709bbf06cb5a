package checkout

import (
	"strings"
	"testing"
	"time"
)

func TestGitProgress(t *testing.T) {
	said := "Cloning into 'x'...\nremote: Counting objects:  50% (1/2)\rremote: Counting objects: 100% (2/2), done.\n" +
		"Receiving objects:   7% (1/14)\rReceiving objects:   7% (1/14), 1 KiB\rReceiving objects: 100% (14/14)\n" +
		"fatal: unable to access 'https://x/': Could not resolve host: x\n"
	var told, logged []string
	output := gitOutput{failed: "The repository couldn't be copied"}
	err := output.read(strings.NewReader(said), func(detail string) { told = append(told, detail) },
		func(line string) { logged = append(logged, line) })
	if err != nil || strings.Join(told, "|") !=
		"Counting objects: 50 %|Counting objects: 100 %|Receiving objects: 7 %|Receiving objects: 7 %, 1 KiB|Receiving objects: 100 %" {
		t.Errorf("told %q %v", told, err)
	}
	if len(logged) != 2 || output.reason() != "The repository couldn't be copied: unable to access 'https://x/': "+
		"Could not resolve host: x." {
		t.Errorf("logged %q, reason %q", logged, output.reason())
	}
}

// The time of a commit is what whoever made it says; programs must be able to put it into files, and we into the record.
func TestTheTimeOfACommitIsBounded(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("ab", 20)
	for seconds, want := range map[string]int64{
		"1700000000": 1700000000, "0": 0, "": 0, "99999999999999999999": 4102444800, "253402300800": 4102444800,
	} {
		said := gitOutput{}
		if err := said.read(strings.NewReader("commit-is "+commit+" "+seconds+"\n"), func(string) {}, func(string) {}); err != nil || said.commit != commit {
			t.Errorf("%q gives %q %v", seconds, said.commit, err)
		}
		if said.committedAt.Unix() != want {
			t.Errorf("%q gives %v", seconds, said.committedAt)
		}
		if _, err := said.committedAt.MarshalJSON(); err != nil {
			t.Errorf("%q can't be recorded: %v", seconds, err)
		}
	}
	if want := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC); !LatestDate.Equal(want) {
		t.Errorf("Times are bounded by %v", LatestDate)
	}
}
