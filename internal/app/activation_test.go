package app

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
)

func TestSocketsAreKnownByNameOrByOrder(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"":                                    "",
		"cairn.socket":                        "listen",
		"cairn.socket cairn.socket":           "listen session_listen",
		"LISTEN_FD_3 LISTEN_FD_4":             "listen session_listen",
		"session_listen":                      "session_listen",
		"session_listen listen":               "session_listen listen",
		"cairn.socket listen":                 "refused",
		"listen listen":                       "refused",
		"listen session_listen cairn.socket":  "refused",
		"cairn.socket cairn.socket cairn.web": "refused",
	} {
		places, err := assignSockets(strings.Fields(names))
		got := strings.Join(places, " ")
		if fault.KindOf(err) == fault.Invalid {
			got = "refused"
		}
		if got != want {
			t.Errorf("%q: %s (%v), want %s", names, got, err, want)
		}
	}
}

// A socket that an operator opened to everybody must not open the demo to everybody.
func TestRulesHoldForTheAddressesOfGivenSockets(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	settings := config.Default()
	settings.Demo = true
	if err := listeningOn(settings, givenListeners{}).Check(); err != nil {
		t.Error(err)
	}
	err = listeningOn(settings, givenListeners{page: listener, session: listener}).Check()
	if err == nil || !strings.Contains(err.Error(), "demo: anyone who can reach") {
		t.Errorf("got %v", err)
	}
}

func TestOnlySocketsForTCPAreTaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "socket")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.File()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []*os.File{socket, plain} {
		given, err := takeListeners([]*os.File{file})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), file.Name()) {
			t.Errorf("%s: got %v", file.Name(), err)
		}
		if file.Close() == nil {
			t.Errorf("%s stays open", file.Name())
		}
		given.close()
	}
}
