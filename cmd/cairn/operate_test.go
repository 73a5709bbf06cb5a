package main

import (
	"bufio"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestHealthcheckExitsWithNothingButZeroAndOne(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	server := cairn(ctx, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0")
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	found := regexp.MustCompile(`http://(\S+)`).FindStringSubmatch(line)
	if err != nil || found == nil {
		t.Fatalf("the server says %q, %v", line, err)
	}
	address := found[1]
	if out, said, code := run(t, "healthcheck", "--listen", address); out != "" || said != "" || code != 0 {
		t.Errorf("of a server that answers: %d %q %q", code, out, said)
	}
	cancel()
	_ = server.Wait()
	if _, said, code := run(t, "healthcheck", "--listen", address); code != 1 || said != "No server answers at http://"+address+"/healthz: connection refused." {
		t.Errorf("of a server that has ended: %d %q", code, said)
	}
	if _, said, code := run(t, "healthcheck", "--config", "/nowhere.yaml"); code != 1 || !strings.Contains(said, "can't be read") {
		t.Errorf("with a configuration that can't be read: %d %q", code, said)
	}
}

func TestDoctorExitsWithOneWhenThereIsSomethingToFix(t *testing.T) {
	t.Parallel()
	out, said, code := run(t, "doctor", "--data", filepath.Join(t.TempDir(), "data"))
	if code != 1 || said != "There is 1 thing to fix." || !strings.HasPrefix(out, "problem  configuration: idp.accounts: no one could sign in") {
		t.Errorf("%d %q\n%s", code, said, out)
	}
}

// A pipe that another account opened can be read, but not opened again.
func TestImportReadsTheStandardInput(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	command := cairn(t.Context(), "import", "-", "--data", data)
	command.Stdin = strings.NewReader(`{"kind": "resource", "externalId": "first", "type": "MODEL", "name": "From a pipe", "privacy": "PUBLIC", "authors": ["ada@example.org"], "applicationInterfaceId": "m"}`)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, said)
	}
	if lines, err := cairn(t.Context(), "export", "-", "--data", data).Output(); err != nil || !strings.Contains(string(lines), "From a pipe") {
		t.Errorf("%v %s", err, lines)
	}
}
