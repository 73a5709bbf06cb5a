package jupyterhub

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"cairn/internal/sessions/engine"
)

func TestKernelsAreThoseOfTheMachineOrOfASession(t *testing.T) {
	t.Parallel()
	specs := `{"kernelspecs": {"python3": {"spec": {"language": "python", "display_name": "Python 3"}}, "ir": {"spec": {"language": "R", "display_name": "R"}}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/user/ann/one/api/kernelspecs" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, specs)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	hub := &client{address: address, transport: newTransport()}
	opened := &Engine{kernels: &kernels{}}
	want := func(when string, names ...string) {
		t.Helper()
		found := opened.Kernels(t.Context())
		if len(found) != len(names) {
			t.Fatalf("%s: %+v", when, found)
		}
		for i, one := range found {
			if one.Name != names[i] || one.Language == "" || one.Label == "" {
				t.Errorf("%s: %+v", when, found)
			}
		}
	}
	want("before the first session", "python3")
	opened.kernels.see(t.Context(), hub, record{Server: "/user/ann/other/"})
	want("after one that doesn't say", "python3")
	opened.kernels.see(t.Context(), hub, record{Server: "/user/ann/one/", Launch: 2})
	want("after one that was launched before", "python3")
	opened.kernels.see(t.Context(), hub, record{Server: "/user/ann/one/", Launch: 1})
	want("after one that says", "ir", "python3")
	specs = `{"kernelspecs": {"odd": {"spec": {"display_name": "Odd"}}, "bare": {"spec": {"language": "julia"}}, "python3": {"spec": {"language": "python", "display_name": "of a repository"}}}}`
	opened.kernels.see(t.Context(), hub, record{Server: "/user/ann/one/", Launch: 1})
	want("after one with odd kernels", "bare", "python3")
	if found := opened.Kernels(t.Context()); found[1] != engine.Python {
		t.Errorf("a session's own label is everybody's: %+v", found)
	}
	opened.kernels.tell([]engine.Kernel{engine.Python})
	want("when the agent knows", "python3")
	opened.kernels.tell(nil)
	specs = `{}`
	opened.kernels.see(t.Context(), hub, record{Server: "/user/ann/one/", Launch: 1})
	want("after one that says nothing", "bare", "python3")
}
