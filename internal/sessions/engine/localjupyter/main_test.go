package localjupyter_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/jupytertest"
)

const (
	// gatewayVariable makes this test binary a gateway that is to be killed: it holds the folder, the session's id, and the
	// path of Jupyter.
	gatewayVariable = "CAIRN_TEST_GATEWAY"
	// realVariable makes all tests use the real Jupyter.
	realVariable = "CAIRN_TEST_REAL_JUPYTER"
)

// jupyter is the path of the stand-in for Jupyter, or of the real one.
var jupyter = notebook

func TestMain(m *testing.M) {
	front.Be()
	jupytertest.Serve()
	serveShell()
	if parts := strings.Split(os.Getenv(gatewayVariable), "|"); len(parts) == 3 {
		gateway(parts[0], parts[1], parts[2])
	}
	folder, err := os.MkdirTemp("", "jupyter-*")
	if err == nil {
		err = os.Chmod(folder, 0o755) // every account may run it
	}
	if err == nil && os.Getenv(realVariable) == "" {
		jupyter, err = jupytertest.Install(folder)
	}
	flag.Parse()
	if err == nil { // what tests do most is wait for processes and deadlines
		err = flag.Set("test.parallel", "6")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
	_ = os.RemoveAll(folder)
}
