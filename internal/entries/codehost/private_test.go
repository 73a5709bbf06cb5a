package codehost_test

import (
	"log/slog"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/gitclient"
)

// openPrivate returns how a stand-in is opened for everybody and for accounts.
func openPrivate[Opened codehost.Host](
	kind string, start func(*testing.T, []hosttest.Repository) *hosttest.StandIn, open func(codehost.Options) Opened,
) func(*testing.T, []hosttest.Repository, func() time.Time) (codehost.Host, codehost.PrivateHost, *hosttest.StandIn) {
	return func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, codehost.PrivateHost, *hosttest.StandIn) {
		t.Helper()
		stand := start(t, repositories)
		options := stand.Options(t, now)
		if kind == "github" {
			options.APIURL, options.RawURL = stand.URL+"/api", stand.URL+"/raw"
		}
		return open(options), codehost.PrivateHost{
			Connection: kind, Login: func(token string) gitclient.Login { return codehost.LoginOf(kind, token) }, Git: gitclient.Options{Web: hosttest.Client()},
			Open: func(account, token string, refused func()) codehost.Host {
				with := options
				with.Account, with.Token, with.Refused = account, token, refused
				return open(with)
			},
		}, stand
	}
}

func TestPrivateRepositoriesAtGitHub(t *testing.T) {
	t.Parallel()
	hosttest.RunPrivate(t, hosttest.PrivateKind{
		Host: "github.com", HasIDs: true, TellsTokens: true, HidesCode: true, Start: openPrivate("github", hosttest.StartGitHub, codehost.NewGitHub),
	})
}

func TestPrivateRepositoriesAtGitLab(t *testing.T) {
	t.Parallel()
	hosttest.RunPrivate(t, hosttest.PrivateKind{
		Host: "gitlab.com", HasIDs: true, TellsTokens: true, HidesCode: true, Start: openPrivate("gitlab", hosttest.StartGitLab, codehost.NewGitLab),
	})
}

func TestPrivateRepositoriesAtGitea(t *testing.T) {
	t.Parallel()
	hosttest.RunPrivate(t, hosttest.PrivateKind{
		Host: "codeberg.org", HasIDs: true, TellsTokens: true, HidesCode: true, Start: openPrivate("forgejo", hosttest.StartGitea, codehost.NewGitea),
	})
}

func TestPrivateRepositoriesWithGit(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"git", "bitbucket"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			hosttest.RunPrivate(t, hosttest.PrivateKind{
				Host: "git.example.org", Clones: true,
				Start: func(t *testing.T, repositories []hosttest.Repository, now func() time.Time) (codehost.Host, codehost.PrivateHost, *hosttest.StandIn) {
					t.Helper()
					stand := hosttest.StartGit(t, repositories)
					logger := slog.New(slog.DiscardHandler)
					clones, err := codehost.OpenClones(t.TempDir(), 100_000_000, now, logger)
					if err != nil {
						t.Fatal(err)
					}
					options := codehost.GitOptions{URL: stand.URL, Clones: clones, Now: now, Logger: logger, Git: gitclient.Options{Web: hosttest.Client()}}
					login := func(token string) gitclient.Login { return codehost.LoginOf(kind, token) }
					return codehost.NewGit(options), codehost.PrivateHost{
						Connection: kind, Login: login, Git: options.Git,
						Open: func(account, token string, _ func()) codehost.Host {
							with, asked := options, login(token)
							with.Account, with.Login = account, &asked
							return codehost.NewGit(with)
						},
					}, stand
				},
			})
		})
	}
}
