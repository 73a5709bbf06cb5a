package workshop

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// keep notes what is in the folder of a guest's session, on the disk.
func (w *workshop) keep(one *guest) (err error) {
	var folders []string
	for _, place := range []string{filepath.Join(w.cairn.Data, "sessions"), w.cairn.Data + "-sessions"} { // by the level of isolation
		found, _ := filepath.Glob(filepath.Join(place, "*", one.session, "work")) // the pattern is right
		folders = append(folders, found...)
	}
	if len(folders) != 1 {
		return fmt.Errorf("the folder of the session %s isn't known: %v", one.session, folders)
	}
	one.work, err = filesIn(folders[0])
	return err
}

// notes is the file in an archive that says what was left out of it.
const notes = "About this archive.txt"

// leftOut begins the names of what isn't in archives, and is named in their notes.
const leftOut = "left out: "

// filesIn returns the digests of the files in a work folder by their paths, and the names of what archives leave out: links, the programs
// that Git would run, and what is made again. Of the data that sessions share, nothing is said.
func filesIn(folder string) (map[string]string, error) {
	found := map[string]string{}
	return found, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && name == "data":
			return fs.SkipDir
		case entry.IsDir() && (strings.HasSuffix(name, ".git/hooks") || entry.Name() == ".ipynb_checkpoints" || entry.Name() == "__pycache__"):
			found[leftOut+name] = ""
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			found[leftOut+name] = ""
			return nil
		}
		content, err := os.ReadFile(path) //nolint:gosec // it is below the folder of this run
		found[name] = digest(content)
		return err
	})
}

// filesOf returns the digests of the files in an archive by their paths, and what its notes say is left out, as filesIn does.
func filesOf(archive []byte) (map[string]string, error) {
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, file := range reader.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		opened, err := file.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(opened)
		if err := errors.Join(err, opened.Close()); err != nil {
			return nil, err
		}
		if file.Name == notes {
			for line := range strings.Lines(string(content)) {
				quoted, _ := strconv.QuotedPrefix(line)
				if name, err := strconv.Unquote(quoted); err == nil {
					found[leftOut+name] = ""
				}
			}
			continue
		}
		found[file.Name] = digest(content)
	}
	return found, nil
}

// differences returns how files differ from those that are wanted, by their digests.
func differences(wanted, found map[string]string) (lines []string) {
	for path, content := range wanted {
		switch got, there := found[path]; {
		case !there:
			lines = append(lines, path+" is missing")
		case got != content:
			lines = append(lines, path+" has changed")
		}
	}
	for path := range found {
		if _, known := wanted[path]; !known {
			lines = append(lines, path+" is more than there should be")
		}
	}
	slices.Sort(lines)
	return lines
}

// fetchAll has all guests fetch their work at once, and compares it.
func (w *workshop) fetchAll(ctx context.Context) error {
	var fetching sync.WaitGroup
	var mu sync.Mutex
	var failed error
	began := time.Now()
	for _, one := range w.seats {
		fetching.Go(func() {
			archive, refused, err := w.fetch(ctx, one)
			took := time.Since(began)
			var found map[string]string
			if err == nil {
				found, err = filesOf(archive)
			}
			mu.Lock()
			defer mu.Unlock()
			w.found.refused += refused
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("the work of seat %d: %w", one.seat, err))
				return
			}
			w.found.zips = append(w.found.zips, took)
			w.found.files += len(found)
			for _, difference := range differences(one.work, found) {
				w.found.fault("the archive of seat %d: %s", one.seat, difference)
			}
		})
	}
	fetching.Wait()
	return failed
}

// fetch downloads the work of a seat as its guest does without a token. It comes again after a second where the server says that it is
// busy, as a person would.
func (w *workshop) fetch(ctx context.Context, one *guest) (archive []byte, refused int, err error) {
	done, err := load.Wait(ctx, program.WaitTime, time.Second, func() (bool, error) {
		status, body, err := program.Call{
			Method: http.MethodPost, Path: program.API + "/join/" + w.key + "/work", Body: map[string]any{"seat": one.seat, "seatCode": one.seatCode},
		}.Send(ctx, w.server.Address)
		var link struct{ URL string }
		if err == nil && status == http.StatusOK {
			if err = json.Unmarshal(body, &link); err == nil {
				status, body, err = download(ctx, link.URL)
			}
		}
		switch {
		case err != nil:
			return false, err
		case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
			refused++
			return false, nil
		case status != http.StatusOK:
			return false, fmt.Errorf("it is answered %d: %.300s", status, body)
		}
		archive = body
		return true, nil
	})
	if err == nil && !done {
		err = errors.New("it is never answered")
	}
	return archive, refused, err
}

// download asks for an address at the origin of sessions, whose name only browsers know.
func download(ctx context.Context, address string) (status int, body []byte, err error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return 0, nil, err
	}
	way := program.To("127.0.0.1:" + parsed.Port())
	defer way.Client.CloseIdleConnections()
	_, status, body, err = way.Send(ctx, http.MethodGet, address, nil)
	return status, body, err
}

var sessionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// running returns the processes of sessions of this run: those that have its folder with the id of a session in their command line or, inside
// a namespace, in their mounts.
func (w *workshop) running() (found []int) {
	mine := filepath.Base(w.with.Folder) + "/"
	folders, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, folder := range folders {
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if len(line) == 0 {
			continue // a zombie or a kernel thread
		}
		mounts, _ := os.ReadFile(filepath.Join(folder, "mountinfo"))
		if isOfSession(strings.ReplaceAll(string(line), "\x00", "\n")+"\n"+string(mounts), mine) {
			if pid, err := strconv.Atoi(filepath.Base(folder)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// isOfSession reports whether a line has both the folder of a run and the id of a session.
func isOfSession(text, run string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(line, run) && sessionID.MatchString(line) {
			return true
		}
	}
	return false
}
