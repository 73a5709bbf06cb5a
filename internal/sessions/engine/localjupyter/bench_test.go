package localjupyter_test

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// BenchmarkStart compares the start of a session whose repository and environment are cached with that of a bare Jupyter:
// the ratio is to be at most 1.5.
func BenchmarkStart(b *testing.B) {
	for _, network := range []sandbox.Network{sandbox.None, sandbox.Internet} {
		b.Run(string(network), func(b *testing.B) {
			w := newBench(b, func(options *localjupyter.Options) {
				options.Pip.FindLinks, options.Network = wheels(b), network
			})
			w.repository("packages.git", func(folder string) { writeFile(b, folder+"/requirements.txt", "cairndemo==1.0") })
			w.open()
			w.stop(w.running(w.url("packages.git")).ID)
			var bare, cached time.Duration
			for b.Loop() {
				bare += bareStart(b)
				began := time.Now()
				spec := w.running(w.url("packages.git"))
				cached += time.Since(began)
				if err := w.engine.Remove(context.Background(), spec.ID); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(bare.Seconds()/float64(b.N), "bare-s/op")
			b.ReportMetric(cached.Seconds()/float64(b.N), "cached-s/op")
			b.ReportMetric(cached.Seconds()/bare.Seconds(), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bareStart starts Jupyter as one would by hand, and ends it.
func bareStart(b *testing.B) time.Duration {
	b.Helper()
	folder := b.TempDir()
	socket := filepath.Join(folder, "j.sock")
	if len(socket) > 100 {
		b.Fatalf("%s is too long for a socket", socket)
	}
	command := exec.Command("/usr/bin/jupyter-notebook", "--no-browser", "--allow-root", "--NotebookApp.sock="+socket,
		"--NotebookApp.notebook_dir="+folder, "--KernelManager.transport=ipc", "--NotebookApp.terminals_enabled=False")
	command.Env = []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "JUPYTER_RUNTIME_DIR=" + folder, "JUPYTER_TOKEN=token", "JUPYTER_NO_CONFIG=1",
		"PYTHONDONTWRITEBYTECODE=1",
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _, _ = command.Process.Kill(), command.Wait() }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	defer client.CloseIdleConnections()
	ticks := time.NewTicker(25 * time.Millisecond) // as the engine asks
	defer ticks.Stop()
	for late := began.Add(30 * time.Second); time.Now().Before(late); <-ticks.C {
		response, err := client.Get("http://localhost/api/status?token=token")
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return time.Since(began)
		}
	}
	b.Fatal("The bare Jupyter isn't responding")
	return 0
}
