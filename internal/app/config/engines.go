package config

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
	"cairn/internal/sessions/sizes"
)

// The kinds of engines.
const (
	LocalKind = "local"
	HubKind   = "jupyterhub"
)

// EngineKinds are all of them, in the order in which messages name them.
var EngineKinds = []string{HubKind, LocalKind}

// Limits returns the limits that are set; the engine has defaults for the others.
func (c Sessions) Limits() localjupyter.Limits {
	memory, _ := humanize.ParseBytes(c.Memory)
	disk, _ := humanize.ParseBytes(c.Disk)
	cores, _ := strconv.ParseFloat(c.CPU, 64)
	return localjupyter.Limits{Memory: memory, CPU: cores, Disk: disk, Files: c.Files}
}

// ShownLimits returns the limits of a session that people see; of a hub's, those that are set.
func (c Sessions) ShownLimits(local bool) sizes.Limits {
	limits := c.Limits()
	if local {
		limits = limits.Complete()
	}
	return sizes.Limits{MemoryBytes: limits.Memory, CPUs: limits.CPU, DiskBytes: limits.Disk}
}

// SessionProfiles returns the sizes of an engine whose sessions have these limits otherwise.
func (c Engine) SessionProfiles(standard sizes.Limits) []sizes.Profile {
	var profiles []sizes.Profile
	for _, one := range c.Profiles {
		memory, _ := humanize.ParseBytes(one.Memory)
		disk, _ := humanize.ParseBytes(one.Disk)
		cores, _ := strconv.ParseFloat(one.CPUs, 64)
		profile := sizes.Profile{
			Name: one.Name, Label: cmp.Or(one.Label, one.Name), GPUs: one.GPUs, Image: one.Image,
			Limits: sizes.Limits{
				MemoryBytes: cmp.Or(memory, standard.MemoryBytes), CPUs: cmp.Or(cores, standard.CPUs), DiskBytes: cmp.Or(disk, standard.DiskBytes),
			},
			For: sizes.Audience{Operators: one.For.Mode == "operators"},
		}
		for _, domain := range one.For.Domains {
			profile.For.Domains = append(profile.For.Domains, strings.ToLower(domain))
		}
		profiles = append(profiles, profile)
	}
	return profiles
}

// fault returns what is wrong with a profile's keys; "" when nothing is.
func (c Profile) fault(kind string, before []Profile) string {
	memory, memoryOK := humanize.ParseBytes(c.Memory)
	disk, diskOK := humanize.ParseBytes(c.Disk)
	cores, err := strconv.ParseFloat(c.CPUs, 64)
	switch {
	case !engineName.MatchString(c.Name) || slices.ContainsFunc(before, func(one Profile) bool { return one.Name == c.Name }):
		return humanize.Quote(c.Name) + ": each profile needs its own name, of lowercase letters, digits and hyphens"
	case c.Memory != "" && (!memoryOK || memory < leastMemory):
		return humanize.Quote(c.Name) + ": memory: " + humanize.Quote(c.Memory) + " must be a size of at least " + strconv.Itoa(leastMemory>>20) + "MiB, such as 8GiB"
	case c.Disk != "" && (!diskOK || disk < leastDisk):
		return humanize.Quote(c.Name) + ": disk: " + humanize.Quote(c.Disk) + " must be a size of at least " + strconv.Itoa(leastDisk>>20) + "MiB, such as 20GiB"
	case c.CPUs != "" && (err != nil || !(cores >= leastCPU && cores <= mostCPU)):
		return humanize.Quote(c.Name) + ": cpus: " + humanize.Quote(c.CPUs) + " must be a number of processors such as 4 or 0.5"
	case c.GPUs < 0:
		return humanize.Quote(c.Name) + ": gpus: must be 0 or more"
	case kind == LocalKind && (c.GPUs > 0 || c.Image != ""):
		return humanize.Quote(c.Name) + ": sessions on this server run in no container and have no GPUs of their own, so leave out gpus and image"
	case c.For.Mode != "" && c.For.Mode != "everyone" && c.For.Mode != "operators" && c.For.Mode != "domains":
		return humanize.Quote(c.Name) + ": for: " + humanize.Quote(c.For.Mode) + " must be everyone, operators, or a list of e-mail domains such as [example.edu]"
	case c.For.Mode == "domains" && (len(c.For.Domains) == 0 || slices.ContainsFunc(c.For.Domains, func(domain string) bool { return !hostPattern.MatchString(domain) })):
		return humanize.Quote(c.Name) + ": for: must name e-mail domains such as [example.edu]"
	}
	return ""
}

// The least with which Jupyter and a kernel work at all.
const (
	leastMemory = 256 << 20
	leastDisk   = 64 << 20
	leastFiles  = 1000
	leastCPU    = 0.1
	mostCPU     = 4096
)

// readTokens reads the tokens that are kept in files.
func (c Sessions) readTokens() []string {
	var faults []string
	for i, one := range c.Engines {
		if one.TokenFile == "" {
			continue
		}
		content, err := os.ReadFile(one.TokenFile)
		if err != nil {
			faults = append(faults, "sessions.engines: the token_file of "+humanize.Quote(one.Name)+" cannot be read: "+err.Error())
		}
		c.Engines[i].Token = strings.TrimSpace(string(content))
	}
	return faults
}

// engineName matches names of engines, which are part of folder names and addresses.
var engineName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,30}$`)

// fault returns what is wrong with one engine's keys; "" when nothing is.
func (c Engine) fault(taken map[string]bool) string {
	switch {
	case !slices.Contains(EngineKinds, c.Kind):
		return humanize.Quote(c.Kind) + " isn't an engine kind in this version; the kinds are: " + strings.Join(EngineKinds, ", ")
	case !engineName.MatchString(c.Name) || taken[c.Name]:
		return humanize.Quote(c.Name) + ": each engine needs its own name, of lowercase letters, digits and hyphens"
	case c.Kind == HubKind && !isWebAddress(c.URL):
		return humanize.Quote(c.Name) + " needs the url of its hub, such as https://hub.example.org"
	case c.Kind == HubKind && c.Token == "":
		return humanize.Quote(c.Name) + " needs the token of its hub's service: token or, better, token_file"
	case c.Kind == LocalKind && c.URL+c.Token != "":
		return humanize.Quote(c.Name) + " runs on this server, so it has no url and no token"
	}
	for i, one := range c.Profiles {
		if text := one.fault(c.Kind, c.Profiles[:i]); text != "" {
			return humanize.Quote(c.Name) + ": profiles: " + text
		}
	}
	if length, err := ParseDuration(c.LaunchTimeout); err != nil || (c.LaunchTimeout != "" && (length < leastLaunch || length > mostLaunch)) {
		return humanize.Quote(c.Name) + ": launch_timeout: " + humanize.Quote(c.LaunchTimeout) + " must be a time from 30s to 50m, such as 10m"
	}
	return ""
}

// The bounds of launch_timeout. A hub accepts signatures for at most an hour.
const (
	leastLaunch = 30 * time.Second
	mostLaunch  = 50 * time.Minute
)

// EngineFaults returns what is wrong with the keys of all engines.
func (c Sessions) EngineFaults() []string {
	var faults []string
	taken := map[string]bool{}
	for _, one := range c.Engines {
		if text := one.fault(taken); text != "" {
			faults = append(faults, "sessions.engines: "+text)
		}
		taken[one.Name] = true
	}
	for _, one := range []struct {
		key, text string
		least     int64
	}{{"memory", c.Memory, leastMemory}, {"disk", c.Disk, leastDisk}} {
		bytes, ok := humanize.ParseBytes(one.text)
		switch {
		case one.text != "" && !ok:
			faults = append(faults, "sessions."+one.key+": "+humanize.Quote(one.text)+" must be a size such as 2GiB or 512MiB")
		case one.text != "" && bytes < one.least:
			faults = append(faults, "sessions."+one.key+": must be at least "+strconv.FormatInt(one.least>>20, 10)+"MiB")
		}
	}
	if c.Files < leastFiles {
		faults = append(faults, "sessions.files: must be at least "+strconv.Itoa(leastFiles))
	}
	cores, err := strconv.ParseFloat(c.CPU, 64)
	if c.CPU != "" && (err != nil || !(cores >= leastCPU && cores <= mostCPU)) {
		faults = append(faults, "sessions.cpu: "+humanize.Quote(c.CPU)+" must be a number of processors such as 2 or 0.5")
	}
	if c.Network != string(sandbox.Internet) && c.Network != string(sandbox.None) {
		faults = append(faults, "sessions.network: "+humanize.Quote(c.Network)+" must be internet or none")
	}
	if c.Pip.IndexURL != "" && !isWebAddress(c.Pip.IndexURL) {
		faults = append(faults, "sessions.pip.index_url: must be the address of a package index, such as https://pypi.org/simple")
	}
	if c.Pip.FindLinks != "" && !filepath.IsAbs(c.Pip.FindLinks) {
		faults = append(faults, "sessions.pip.find_links: "+humanize.Quote(c.Pip.FindLinks)+" must be the absolute path of a folder of wheels")
	}
	if address, err := url.Parse(c.R.Repository); c.R.Repository != "" && (err != nil || address.User != nil || !isWebAddress(c.R.Repository)) {
		faults = append(faults, "sessions.r.repository: must be the address of a repository of R's packages, such as https://cloud.r-project.org, without a password")
	}
	if c.Jupyter != "" && !filepath.IsAbs(c.Jupyter) {
		faults = append(faults, "sessions.jupyter: "+humanize.Quote(c.Jupyter)+" must be the absolute path of a program, such as /opt/jupyter/bin/jupyter-lab")
	}
	programs := map[string]string{"sessions.vscode": c.VSCode}
	for _, one := range c.Engines {
		programs["sessions.engines: "+humanize.Quote(one.Name)+": vscode"] = one.VSCode
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if path := programs[name]; path != "" && !filepath.IsAbs(path) {
			faults = append(faults, name+": "+humanize.Quote(path)+" must be the absolute path of a code-server, such as /opt/code-server/node_modules/.bin/code-server")
		}
	}
	switch {
	case c.Extensions != "none" && c.Extensions != ExtensionGallery:
		faults = append(faults, "sessions.extensions: "+humanize.Quote(c.Extensions)+" must be none or gallery")
	case c.Extensions == ExtensionGallery && c.Network == string(sandbox.None):
		faults = append(faults, "sessions.extensions: gallery needs sessions.network: internet, because sessions get extensions from there")
	}
	return append(faults, c.Builder.faults()...)
}

// VSCodeOf returns the code-server in which sessions of an engine can be opened; empty: none.
func (c Sessions) VSCodeOf(one Engine) string { return cmp.Or(one.VSCode, c.VSCode) }

// ExtensionGallery lets people install extensions of VS Code from its gallery.
const ExtensionGallery = "gallery"

var hostPattern = regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9-]*[A-Za-z]$`)

// faults returns what is wrong with the builder of environments.
func (c Builder) faults() []string {
	var faults []string
	about, err := os.Stat(c.Command)
	switch {
	case c.Command == "" && len(c.Hosts) > 0:
		faults = append(faults, "sessions.builder.hosts: set sessions.builder.command too, which would reach them")
	case c.Command == "":
	case !filepath.IsAbs(c.Command):
		faults = append(faults, "sessions.builder.command: "+humanize.Quote(c.Command)+" must be the absolute path of a program")
	case err != nil:
		faults = append(faults, "sessions.builder.command: "+err.Error())
	case !about.Mode().IsRegular() || about.Mode()&0o001 == 0:
		faults = append(faults, "sessions.builder.command: "+humanize.Quote(c.Command)+" must be a program that everyone may run: chmod 755")
	}
	for _, host := range c.Hosts {
		if !hostPattern.MatchString(host) {
			faults = append(faults, "sessions.builder.hosts: "+humanize.Quote(host)+" must be the name of a host, such as conda.anaconda.org")
		}
	}
	return faults
}
