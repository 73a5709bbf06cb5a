package codehost_test

import (
	"log/slog"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/safehttp"
)

func TestGitLab(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, hosttest.Kind{
		Start: func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGitLab(t, repositories)
			return codehost.NewGitLab(stand.Options(t, now)), stand
		},
		Host: "gitlab.com", FilesURL: "/owner/name/-/blob/main/", Facts: true, StoresLFS: true, IsRenamed: true,
	})
}

func TestGitea(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, hosttest.Kind{
		Start: func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGitea(t, repositories)
			return codehost.NewGitea(stand.Options(t, now)), stand
		},
		Host: "codeberg.org", FilesURL: "/owner/name/src/branch/main/", Sizes: true, Facts: true, StoresLFS: true, IsRenamed: true,
	})
}

func TestGit(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, hosttest.Kind{
		Start: func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGit(t, repositories)
			clones, err := codehost.OpenClones(t.TempDir(), 100_000_000, now, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			return codehost.NewGit(codehost.GitOptions{
				URL: stand.URL, Clones: clones, Now: now, Logger: slog.New(slog.DiscardHandler), Git: gitclient.Options{Web: hosttest.Client()},
			}), stand
		},
		Host: "git.example.org", Sizes: true,
	})
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	hosttest.Run(t, hosttest.Kind{
		Start: func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGitHub(t, repositories)
			options := stand.Options(t, now)
			options.URL, options.APIURL, options.RawURL, options.Token = "", stand.URL+"/api", stand.URL+"/raw", githubtest.Token
			return codehost.NewGitHub(options), stand
		},
		Host: "github.com", FilesURL: "/owner/name/blob/main/", Sizes: true, Facts: true, StoresLFS: true, IsRenamed: true,
	})
}

// Operators can't list an address in a private network, or one that leads there, unless they allow that network.
func TestHostsInPrivateNetworks(t *testing.T) {
	t.Parallel()
	stand := hosttest.StartGitea(t, nil)
	options := stand.Options(t, time.Now)
	options.Client = safehttp.New(safehttp.Options{AllowHTTP: true})
	clones, err := codehost.OpenClones(t.TempDir(), 1<<20, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		stand.URL, "http://127.1", "http://2130706433", "http://0x7f.1", "http://0.0.0.0", "http://[::1]", "http://[::ffff:127.0.0.1]", "http://[64:ff9b::7f00:1]", "http://10.0.0.1", "http://172.16.0.1",
		"http://192.168.0.1", "http://169.254.169.254", "http://[fd00::1]", "http://[fe80::1]", "http://100.64.0.1", "http://localhost",
	} {
		options.URL = address
		repository := codehost.Repository{Host: "code.example.org", Owner: "owner", Name: "name"}
		for _, host := range []codehost.Host{
			codehost.NewGitea(options), codehost.NewGitLab(options), codehost.NewGitHub(options),
			codehost.NewGit(codehost.GitOptions{
				URL: address, Clones: clones, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Git: gitclient.Options{Web: options.Client},
			}),
		} {
			_, err := host.About(t.Context(), repository)
			if kind := fault.KindOf(err); kind != fault.BadUpstream && kind != fault.Unavailable {
				t.Errorf("%T at %s: %v", host, address, err)
			}
		}
	}
	if paths := stand.Paths(); len(paths) > 0 {
		t.Errorf("it was asked for %v", paths)
	}
}
