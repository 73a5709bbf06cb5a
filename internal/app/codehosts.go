package app

import (
	"path/filepath"
	"time"

	"cairn/internal/codehost"
)

// codeHostCache bounds the answers of code hosts that are kept, in bytes.
const codeHostCache = 200_000_000

// codeHosts are those whose repositories this server reads.
func (p *program) codeHosts() (*codehost.Hosts, error) {
	cache, err := codehost.OpenCache(filepath.Join(p.config.Data, "cache", "codehost"), codeHostCache)
	if err != nil {
		return nil, err
	}
	options := p.config.CodeHost.GitHub
	gitHub := codehost.NewGitHub(codehost.GitHubOptions{
		APIURL: options.APIURL, RawURL: options.RawURL, Token: options.Token, Client: p.webClient(), Cache: cache, Now: time.Now, Logger: p.logger,
	})
	return codehost.NewHosts(map[string]codehost.Host{"github.com": gitHub}, "github.com"), nil
}
