package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine/jupyterhub"
)

// verifyTime is how long saved work is read. What isn't reached is read another time, as the order is random.
const verifyTime = 20 * time.Second

// checkVersions adds up what saved work takes, and reads some of it if no server has it open.
func checkVersions(ctx context.Context, on *target) (string, []problem) {
	ofHubs := hubVersions(ctx, on)
	owners, err := filepath.Glob(filepath.Join(on.config.Data, installation.VersionsName, "*", "*"))
	if err != nil || len(owners) == 0 {
		return strings.Join(ofHubs, "; "), nil
	}
	total := int64(0)
	for _, owner := range owners {
		total += sizeOf(owner)
	}
	summary := fmt.Sprintf("those of %d accounts take %s", len(owners), humanize.Bytes(total))
	summary = strings.Join(append([]string{summary}, ofHubs...), "; ")
	if on.running {
		return summary + "; they're read while the server is stopped", nil
	}
	rand.Shuffle(len(owners), func(i, j int) { owners[i], owners[j] = owners[j], owners[i] }) //nolint:gosec // only so that each is looked at some day
	ctx, cancel := context.WithTimeout(ctx, verifyTime)
	defer cancel()
	read := 0
	var problems []problem
	for _, owner := range owners {
		err := verifyStore(ctx, owner)
		if ctx.Err() != nil {
			break
		}
		read++
		if err != nil {
			problems = append(problems, problem{
				"The saved work in " + owner + " can't be read completely: " + err.Error() + ".", "Versions that aren't named are whole. Restore the folder from a backup if one has it.",
			})
		}
	}
	return fmt.Sprintf("%s; %d of them were read and are as they were written", summary, read), problems
}

// hubVersions says where the versions of each hub are; a hub that doesn't answer is the business of another check.
func hubVersions(ctx context.Context, on *target) (list []string) {
	for _, one := range on.config.Sessions.Engines {
		if one.Kind != config.HubKind {
			continue
		}
		histories, err := jupyterhub.OpenHistories(one.URL, one.Token)
		if err != nil {
			continue
		}
		if folder, bytes, _, err := histories.List(ctx); err == nil {
			list = append(list, fmt.Sprintf("those on %s take %s in %s there, and are in backups with --hub-histories", one.Name, humanize.Bytes(bytes), folder))
		}
	}
	return list
}

func verifyStore(ctx context.Context, folder string) error {
	store, err := versions.Open(folder, versions.Options{})
	if errors.Is(err, versions.ErrInUse) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(store.Verify(ctx), store.Close())
}

// sizeOf adds up the files of a folder.
func sizeOf(folder string) (total int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var about os.FileInfo
			if about, err = entry.Info(); err == nil {
				total += about.Size()
			}
		}
		return nil
	})
	return total
}
