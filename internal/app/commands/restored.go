package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/operations/backup"

	"go.yaml.in/yaml/v3"
)

// restoration is a restore that is done.
type restoration struct {
	*backup.Backup

	data        string // absolute path
	databaseURL string // ""; SQLite in the data folder
	config      []byte // config.yaml of the backup
	withKeys    bool
}

// report says what was restored, what differs from before, and what is left to do.
func (r restoration) report() []string {
	lines := []string{fmt.Sprintf("Restored the backup of %s into %s. Every file of it was as the manifest says.", r.At.Format(time.DateTime+" MST"), r.data)}
	if r.PublicURL != "" {
		lines = append(lines, fmt.Sprintf("It was served at %s. At another public_url, links that people saved lead to the old one.", r.PublicURL))
	}
	if r.Issuer != "" {
		lines = append(lines, fmt.Sprintf("People signed in at %s. With another oidc.issuer they have other accounts, without their stars and sessions.", r.Issuer))
	} else {
		lines = append(lines, "People signed in at the embedded identity provider, whose name is the public address: at another one they have other accounts, without their stars and sessions.")
	}
	again := "remove " + r.data
	if r.databaseURL != "" {
		again += ", empty the database,"
	}
	switch {
	case !r.HasKeys:
		lines = append(lines, "The backup has no keys, so new ones are made and everyone signs in again.")
	case !r.withKeys:
		lines = append(lines, "The backup has keys (keys.age), which weren't restored: new ones are made, and everyone signs in again. To restore them too, "+
			again+" and restore again with --passphrase-file, before the first start.")
	}
	lines = append(lines, "Sessions that ran are stopped, with their work.", "", `What is left to do ("Restore" in docs/operate.md shows how):`,
		"1. Put config.yaml and site/ of the backup in place, and fill in what says \""+config.LeftOut+"\".")
	lines = append(lines, r.configSteps()...)
	return append(lines, fmt.Sprintf("2. Give %s, which belongs to %s, to the account that the server runs as (chown -R).", r.data, installation.AccountName(os.Geteuid())),
		"3. Run cairn config check as that account, and start the server.")
}

// configSteps says where config.yaml leads to something else than what was restored.
func (r restoration) configSteps() (steps []string) {
	var given struct {
		Data        string `yaml:"data"`
		DatabaseURL string `yaml:"database_url"`
		Content     struct {
			Folder string `yaml:"folder"`
		} `yaml:"content"`
	}
	if err := yaml.Unmarshal(r.config, &given); err != nil {
		return []string{"   config.yaml can't be read: " + err.Error() + "."}
	}
	names := "no data folder"
	if given.Data != "" {
		names = "another data folder (" + given.Data + ")"
	}
	if path, err := filepath.Abs(given.Data); given.Data == "" || err != nil || path != r.data {
		steps = append(steps, "   config.yaml names "+names+": set data to "+r.data+", else the server starts with an empty catalog.")
	}
	switch {
	case r.databaseURL != "":
		steps = append(steps, "   Set database_url to what you gave with --database-url, where the rows are.")
	case given.DatabaseURL != "":
		steps = append(steps, "   Remove database_url: the rows are in "+filepath.Join(r.data, "cairn.db")+".")
	}
	if given.Content.Folder != "" {
		steps = append(steps, "   config.yaml keeps the files of entries in "+given.Content.Folder+": move "+filepath.Join(r.data, config.ContentName)+" there, or remove content.folder.")
	}
	return steps
}
