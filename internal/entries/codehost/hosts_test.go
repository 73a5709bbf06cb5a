package codehost_test

import (
	"log/slog"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/gitclient"
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
			clones, err := codehost.OpenClones(t.TempDir(), 100_000_000, now)
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

// githubHost is the stand-in for GitHub with the levers of the suite.
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
