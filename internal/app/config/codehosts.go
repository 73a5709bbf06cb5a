package config

import (
	"cmp"

	"cairn/internal/entries/codehost"
)

// GitHubRaw returns the address of github.com's raw files; "" for the public default.
func (c CodeHost) GitHubRaw() string {
	if cmp.Or(c.GitHub.URL, codehost.PublicGitHub) != codehost.PublicGitHub {
		return "" // the configured one belongs to another server
	}
	return c.GitHub.RawURL
}

// CodeHost says how code hosts are reached.
type CodeHost struct {
	GitHub struct {
		URL    string `yaml:"url"` // of its pages; empty: https://github.com
		APIURL string `yaml:"api_url"`
		RawURL string `yaml:"raw_url"`
		Token  string `yaml:"token" secret:"true"`
	} `yaml:"github"`
}
