package localjupyter_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// codeHost stands before the repositories and fails as it is told.
type codeHost struct {
	url    string
	status atomic.Int64 // it answers only with that, unless zero
	silent atomic.Bool  // it answers nothing
}

func (b *bench) codeHost() *codeHost {
	b.Helper()
	to, err := url.Parse(b.repositories.URL)
	if err != nil {
		b.Fatal(err)
	}
	host := &codeHost{}
	inner := httputil.NewSingleHostReverseProxy(to)
	host.url = serve(b, func(w http.ResponseWriter, r *http.Request) {
		switch status := int(host.status.Load()); {
		case host.silent.Load():
			<-r.Context().Done()
		case status != 0:
			w.WriteHeader(status)
		default:
			inner.ServeHTTP(w, r)
		}
	})
	return host
}

func (h *codeHost) repository(name string) engine.Repository {
	return engine.Repository{URL: h.url + "/" + name, Folder: strings.TrimSuffix(name, ".git")}
}

// While a code host is down, every session gets the copy that is there, and the copy outlives the outage.
func TestThoroughACopyIsServedWhileItsHostIsDown(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.LaunchDeadline = 20 * time.Second })
	host := b.codeHost()
	b.open()
	b.stop(b.running(host.repository("working.git")).ID)
	for name, fail := range map[string]func(){
		"unavailable":       func() { host.status.Store(http.StatusServiceUnavailable) },
		"too many requests": func() { host.status.Store(http.StatusTooManyRequests) },
		"silent":            func() { host.status.Store(0); host.silent.Store(true) },
	} {
		fail()
		spec := b.running(host.repository("working.git"))
		status := b.await(spec.ID, engine.Running)
		const want = "The repository's host doesn't answer, so this server's own copy is used, as of 20"
		if detail := stepOf(status, engine.StepRepository).Detail; !strings.HasPrefix(detail, want) || !strings.Contains(status.Log, want) {
			t.Errorf("%s: the step tells %q, the log\n%s", name, detail, status.Log)
		}
		b.wants("the repository, "+name, b.cell(spec.ID, `print(open("working/README.md").read())`), "# working.git")
		b.stop(spec.ID)
		host.silent.Store(false)
	}
	if kept := b.cached("repositories"); len(kept) != 2 { // the copy and its size
		t.Errorf("The cache holds %v", kept)
	}
}

// A branch may have been made after the copy: that it isn't in there doesn't mean that there is none.
func TestACopyThatLacksARefWhileItsHostIsDown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	host := b.codeHost()
	b.open()
	b.stop(b.running(host.repository("working.git")).ID)
	host.status.Store(http.StatusServiceUnavailable)
	spec := engine.Spec{ID: uuid.NewString(), Owner: "ann@example.org", Repository: host.repository("working.git")}
	spec.Repository.Ref = "new/branch"
	b.start(spec)
	status := b.awaitFailed(spec.ID)
	const want = `The repository's host doesn't answer, and the copy that this server keeps has no branch, tag or commit "new/branch", as of 20`
	if !strings.HasPrefix(status.Reason, want) || status.Code != diagnosis.CloneUnreachable {
		t.Errorf("it says %q with %q", status.Reason, status.Code)
	}
}

// A repository that is gone from its host, or private by now, is not given out of the cache. Its copy is not thrown away
// before there is another.
func TestACopyOfWhatItsHostRefusesIsKeptAndNotServed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	host := b.codeHost()
	b.open()
	b.stop(b.running(host.repository("working.git")).ID)
	host.status.Store(http.StatusNotFound)
	spec := b.spec(host.repository("working.git"))
	b.start(spec)
	if status := b.awaitFailed(spec.ID); stepOf(status, engine.StepRepository).State != engine.Broken {
		t.Errorf("The launch ended with %+v", status)
	}
	host.status.Store(http.StatusServiceUnavailable)
	b.running(host.repository("working.git"))
}

func TestFailedClonesAreExplained(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	host := b.codeHost()
	b.open()
	for _, test := range []struct {
		name   string
		status int64
		want   diagnosis.Code
	}{
		{"absent.git", http.StatusNotFound, diagnosis.CloneRefused},
		{"private.git", http.StatusUnauthorized, diagnosis.CloneRefused},
		{"working.git", http.StatusServiceUnavailable, diagnosis.CloneUnreachable},
	} {
		host.status.Store(test.status)
		spec := b.spec(host.repository(test.name))
		b.start(spec)
		status := b.awaitFailed(spec.ID)
		cause := diagnosis.Explain(diagnosis.Failure{Code: status.Code, Reason: status.Reason, Log: status.Log})
		if cause.Code != test.want || cause.To == 0 {
			t.Errorf("%s: %+v from %q and the log %s", test.name, cause, status.Reason, status.Log)
		}
	}
}
