package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"cairn/internal/foundation/humanize"
)

// Keeping says what this server keeps of people's files, and where else these come from and go.
type Keeping struct {
	Versions Versions  `yaml:"versions"`
	Uploads  Uploads   `yaml:"uploads"`
	Content  Content   `yaml:"content"`
	Archives []Archive `yaml:"archives"`
	Sources  Sources   `yaml:"sources"`
}

// Uploads limit what people send.
type Uploads struct {
	File  string `yaml:"file"`
	Quota string `yaml:"quota"` // of an account, with the entries that its uploads became
}

// Content is where the files of entries are kept.
type Content struct {
	Folder string `yaml:"folder"` // that all servers of an installation mount; "": in the data folder of the only one
}

// Archive is where people deposit entries to get a DOI.
type Archive struct {
	Name  string `yaml:"name"`
	Label string `yaml:"label"`
	Kind  string `yaml:"kind"` // zenodo or inveniordm
	URL   string `yaml:"url"`
}

// Sources are where DOIs are looked up.
type Sources struct {
	DOIURL      string   `yaml:"doi_url"`
	FigshareURL string   `yaml:"figshare_url"`
	Dataverse   []string `yaml:"dataverse"` // addresses of installations; empty: those that are known
}

// ContentName is the folder of kept files in the data folder.
const ContentName = "content"

// ContentFolder returns where the files of entries are kept; shared reports whether several servers may have it.
func (c Config) ContentFolder() (folder string, shared bool) {
	if c.Keeping.Content.Folder != "" {
		return c.Keeping.Content.Folder, true
	}
	return filepath.Join(c.Data, ContentName), false
}

// UploadsOff says why nothing can be uploaded, as a sentence; "" if it can.
func (c Config) UploadsOff() string {
	if _, shared := c.ContentFolder(); !shared && len(c.SingleServerParts()) == 0 {
		return "Nothing can be uploaded here, because several servers may share the database and have no folder together. The operators can set content.folder."
	}
	return ""
}

// Limits returns the limits in bytes, from a valid configuration.
func (u Uploads) Limits() (file, quota int64) {
	file, _ = humanize.ParseBytes(u.File)
	quota, _ = humanize.ParseBytes(u.Quota)
	return file, quota
}

var archiveNamePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,39}$`)

func (k Keeping) faults() []string {
	faults := k.Versions.faults()
	for key, value := range map[string]string{"file": k.Uploads.File, "quota": k.Uploads.Quota} {
		if size, ok := humanize.ParseBytes(value); !ok || size < 1<<20 {
			faults = append(faults, "uploads."+key+": "+humanize.Quote(value)+" must be a size of at least 1MiB, such as 20GiB")
		}
	}
	if folder := k.Content.Folder; folder != "" && !filepath.IsAbs(folder) {
		faults = append(faults, "content.folder: "+humanize.Quote(folder)+" must be an absolute path")
	}
	var names []string
	for i, one := range k.Archives {
		at := "archives[" + strconv.Itoa(i) + "]."
		if !archiveNamePattern.MatchString(one.Name) || slices.Contains(names, one.Name) {
			faults = append(faults, at+"name: "+humanize.Quote(one.Name)+" must be unique, and made of lower-case letters, digits, dots and hyphens")
		}
		names = append(names, one.Name)
		if one.Kind != "zenodo" && one.Kind != "inveniordm" {
			faults = append(faults, at+"kind: "+humanize.Quote(one.Kind)+" must be zenodo or inveniordm")
		}
		if !secureOrLoopback(one.URL) {
			faults = append(faults, at+"url: "+humanize.Quote(one.URL)+" must begin with https://, or with http:// on this machine")
		}
	}
	for key, address := range map[string]string{"doi_url": k.Sources.DOIURL, "figshare_url": k.Sources.FigshareURL} {
		if address != "" && !secureOrLoopback(address) {
			faults = append(faults, "sources."+key+": "+humanize.Quote(address)+" must begin with https://, or with http:// on this machine")
		}
	}
	for i, address := range k.Sources.Dataverse {
		if !secureOrLoopback(address) {
			faults = append(faults, "sources.dataverse["+strconv.Itoa(i)+"]: "+humanize.Quote(address)+" must begin with https://, or with http:// on this machine")
		}
	}
	return faults
}
