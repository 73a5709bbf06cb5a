package jobs

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// newBox serves scripted kernels, and a broker before them, in this process.
func newBox(t *testing.T) *box {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "j.sock")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, socket) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	b := &box{direct: program.To(socket)}
	b.direct.Base = "http://127.0.0.1" + strings.TrimSuffix(basePath, "/")
	there, err := load.Wait(ctx, time.Minute, time.Millisecond, func() (bool, error) {
		_, err := b.number(ctx, "saves")
		return err == nil, nil
	})
	address, parseErr := url.Parse(b.direct.Base + "/")
	if err != nil || parseErr != nil || !there {
		t.Fatal(there, err, parseErr)
	}
	held := broker.New(broker.Options{Server: jupyterkernel.NewServer(address, "token secret", b.direct.Client.Transport)})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held.ServeChannels(w, r, strings.Split(r.URL.Path, "/")[5])
	}))
	t.Cleanup(front.Close)
	t.Cleanup(func() { _ = held.Close(context.Background()) })
	b.broker = program.To(strings.TrimPrefix(front.URL, "http://"))
	b.broker.Base = b.direct.Base
	return b
}

func TestSmallExecutions(t *testing.T) {
	b := newBox(t)
	through, direct, err := options{trips: 20}.measureTrips(t.Context(), b)
	if err != nil || len(through) != 20 || len(direct) != 20 || slices.Min(through) <= 0 {
		t.Errorf("%v, %v, %v", through, direct, err)
	}
}

func TestKernelsPrintUntilTheyAreInterrupted(t *testing.T) {
	b := newBox(t)
	for name, way := range map[string]program.Way{"directly": b.direct, "broker": b.broker} {
		p, err := open(t.Context(), way, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.begin(t.Context(), streamCode+" 1000"); err != nil {
			t.Fatal(err)
		}
		if err := p.await(t.Context(), func(m message) bool { return m.Header.Type == "stream" }); err != nil {
			t.Fatal(err)
		}
		if err := b.interrupt(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if err := p.await(t.Context(), func(m message) bool { return m.Header.Type == "execute_reply" }); err != nil {
			t.Fatal(err)
		}
		if printed, err := b.number(t.Context(), "printed/"+name); err != nil || printed < 1000 || printed%1000 != 0 {
			t.Errorf("%s: %d, %v", name, printed, err)
		}
		p.close()
	}
}

func TestWhatIsKeptAndLeftOut(t *testing.T) {
	b := newBox(t)
	for code, most := range map[string]int64{streamCode + " 65536": 4 << 20, picturesCode + " 102400": 16 << 20} {
		kernel := strings.Fields(code)[1]
		p, err := open(t.Context(), b.broker, kernel)
		if err != nil {
			t.Fatal(err)
		}
		err = p.begin(t.Context(), code)
		p.close()
		if err != nil {
			t.Fatal(err)
		}
		printed, err := load.Wait(t.Context(), time.Minute, time.Millisecond, func() (bool, error) {
			printed, err := b.number(t.Context(), "printed/"+kernel)
			return printed > 32<<20, err
		})
		if err != nil || !printed {
			t.Fatal(printed, err)
		}
		if p, err = open(t.Context(), b.broker, kernel); err != nil {
			t.Fatal(err)
		}
		if kept, says, err := p.attach(t.Context()); err != nil || !says || kept > most {
			t.Errorf("%s: %d bytes, %v, %v", code, kept, says, err)
		}
		if err := b.interrupt(t.Context(), kernel); err != nil {
			t.Error(err)
		}
		p.close()
	}
}

func TestTextsHaveTheirSize(t *testing.T) {
	for _, size := range []int{1, 79, 80, 81, 8192} {
		if text := lines(size); len(text) != size || !strings.HasSuffix(text, "\n") {
			t.Errorf("%d bytes instead of %d: %q", len(text), size, text)
		}
	}
}

func TestLimitsInACommand(t *testing.T) {
	command := "/usr/bin/jupyter-notebook\x00--NotebookApp.iopub_data_rate_limit=0\x00--NotebookApp.sock=/x\x00--ZMQChannelsWebsocketConnection.limit_rate=False\x00"
	want := []string{"--NotebookApp.iopub_data_rate_limit=0", "--ZMQChannelsWebsocketConnection.limit_rate=False"}
	if got := limitsIn(command); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
