package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

const (
	uploadPart  = 32 << 20 // bytes of a request: proxies that buffer them lose at most that much
	uploadTries = 20       // without progress, a second apart at first
	uploadPause = time.Minute
)

// Upload says what is uploaded, and what becomes of it.
type Upload struct {
	Paths       []string // files and folders
	Type        string   // NOTEBOOK, DATASET or REPOSITORY; "": what the server suggests
	Name        string   // "": what the files say
	To          string   // the id of the entry that gets a new version; "": a new entry
	Note        string   // of the version
	Private     bool
	Description string

	// Progress is told how much has arrived, in bytes. Optional.
	Progress func(done, total int64)
}

// localFile is a file that is uploaded.
type localFile struct {
	local  string // where it is
	path   string // in the folder; "" for a single file
	bytes  int64
	digest string
	id     string // of the upload
}

// Uploaded is what became of an upload.
type Uploaded struct {
	ResourceID    string `json:"resourceId"`
	VersionNumber int    `json:"versionNumber"`
}

// uploadTask is an answer about a task of the server's, or about what was made at once.
type uploadTask struct {
	Uploaded

	ID      string `json:"id"`
	State   string `json:"state"`
	Problem struct {
		Detail string `json:"detail"`
	} `json:"problem"`
}

// Upload uploads files, going on where an earlier call was cut off, and makes them an entry or a version of one.
func (c *Client) Upload(ctx context.Context, wanted Upload) (Uploaded, error) {
	files, total, err := localFiles(ctx, wanted.Paths)
	if err != nil {
		return Uploaded{}, err
	}
	if err := c.begin(ctx, files); err != nil {
		return Uploaded{}, err
	}
	done := int64(0)
	tell := func(arrived int64) {
		if wanted.Progress != nil {
			wanted.Progress(done+arrived, total)
		}
	}
	for i := range files {
		if err := c.sendFile(ctx, &files[i], tell); err != nil {
			return Uploaded{}, err
		}
		done += files[i].bytes
	}
	return c.use(ctx, wanted, files)
}

// localFiles finds the files below some paths, with their digests.
func localFiles(ctx context.Context, paths []string) (files []localFile, total int64, err error) {
	for _, start := range paths {
		about, err := os.Stat(start)
		if err != nil {
			return nil, 0, fault.Wrap(err, fault.Invalid, "%s can't be read: %s.", start, reason(err))
		}
		parent := filepath.Dir(filepath.Clean(start))
		err = filepath.WalkDir(start, func(at string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == ".git":
				return filepath.SkipDir
			case !entry.Type().IsRegular() && at != start, entry.IsDir():
				return nil
			}
			one := localFile{local: at}
			if about.IsDir() || len(paths) > 1 {
				below, err := filepath.Rel(parent, at)
				if err != nil {
					return err
				}
				one.path = filepath.ToSlash(below)
			}
			if one.digest, one.bytes, err = digestOf(ctx, at); err != nil {
				return err
			}
			total += one.bytes
			files = append(files, one)
			return nil
		})
		if err != nil {
			return nil, 0, fault.Wrap(err, fault.Invalid, "%s can't be read: %s.", start, reason(err))
		}
	}
	if len(files) == 0 {
		return nil, 0, fault.New(fault.Invalid, "There are no files to upload.")
	}
	return files, total, nil
}

func digestOf(ctx context.Context, name string) (digest string, bytes int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash := sha256.New()
	for {
		count, err := io.CopyN(hash, file, uploadPart)
		bytes += count
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(hash.Sum(nil)), bytes, nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return "", 0, err
		}
	}
}

// begin finds the uploads of files that an earlier call has begun, and begins the others.
func (c *Client) begin(ctx context.Context, files []localFile) error {
	var known struct {
		Content []struct {
			ID, Filename, Path, Digest string
			Packed                     bool
			Bytes                      int64
		}
	}
	if err := c.call(ctx, http.MethodGet, "/uploads", nil, nil, &known); err != nil {
		return err
	}
	taken := map[string]bool{}
	for i := range files {
		one := &files[i]
		for _, earlier := range known.Content {
			same := earlier.Filename == path.Base(filepath.ToSlash(one.local)) && earlier.Path == one.path && earlier.Bytes == one.bytes && !earlier.Packed
			if same && !taken[earlier.ID] && (earlier.Digest == "" || earlier.Digest == one.digest) {
				one.id, taken[earlier.ID] = earlier.ID, true
				break
			}
		}
		if one.id != "" {
			continue
		}
		said := "filename " + encoded(path.Base(filepath.ToSlash(one.local))) + ",sha256 " + encoded(one.digest)
		if one.path != "" {
			said += ",path " + encoded(one.path)
		}
		response, err := c.send(ctx, http.MethodPost, "/uploads", nil, nil, "Tus-Resumable", "1.0.0", "Upload-Length", strconv.FormatInt(one.bytes, 10), "Upload-Metadata", said)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		one.id = path.Base(response.Header.Get("Location"))
	}
	return nil
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// sendFile sends what is missing of a file, and tries again while the line is broken or the server away.
func (c *Client) sendFile(ctx context.Context, one *localFile, tell func(int64)) error {
	file, err := os.Open(one.local)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "%s can't be read: %s.", one.local, reason(err))
	}
	defer file.Close()
	for known, failures := int64(-1), 0; ; {
		arrived, err := c.arrived(ctx, one.id)
		if err == nil {
			if arrived > known {
				known, failures = arrived, 0
			}
			if tell(arrived); arrived == one.bytes {
				return nil
			}
			arrived, err = c.part(ctx, one.id, file, arrived, min(uploadPart, one.bytes-arrived))
		}
		if err == nil {
			known, failures = arrived, 0
			continue
		}
		if kind := fault.KindOf(err); ctx.Err() != nil || kind != fault.Unavailable && kind != fault.Conflict || failures >= uploadTries {
			return errors.Join(ctx.Err(), err)
		}
		if failures++; failures == 1 {
			continue // a broken line is there again at once, mostly
		}
		timer := time.NewTimer(min(uploadPause, c.interval<<min(failures-2, 10)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// arrived returns how many bytes of an upload the server has.
func (c *Client) arrived(ctx context.Context, id string) (int64, error) {
	response, err := c.send(ctx, http.MethodHead, "/uploads/"+id, nil, nil, "Tus-Resumable", "1.0.0")
	if err != nil {
		return -1, err
	}
	_ = response.Body.Close()
	return strconv.ParseInt(response.Header.Get("Upload-Offset"), 10, 64)
}

// part sends a part of a file, and returns how many bytes of it the server has then.
func (c *Client) part(ctx context.Context, id string, file io.ReaderAt, at, length int64) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, c.base.String()+apiPath+"/uploads/"+id, io.NewSectionReader(file, at, length))
	if err != nil {
		return -1, err
	}
	request.ContentLength = length
	for name, value := range map[string]string{
		"User-Agent": c.userAgent, "Authorization": "Bearer " + c.token, "Tus-Resumable": "1.0.0", "Upload-Offset": strconv.FormatInt(at, 10), "Content-Type": "application/offset+octet-stream",
	} {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return -1, fault.Wrap(err, fault.Unavailable, "%s can't be reached: %s. Run the command again to go on.", c.base, reason(err))
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return -1, c.refusal(response)
	}
	return strconv.ParseInt(response.Header.Get("Upload-Offset"), 10, 64)
}

// use makes uploads an entry, or a version of one, and waits until that is done.
func (c *Client) use(ctx context.Context, wanted Upload, files []localFile) (Uploaded, error) {
	ids, digests := make([]string, len(files)), map[string]string{}
	for i, one := range files {
		ids[i] = one.id
		digests[one.id] = one.digest
	}
	asked := map[string]any{"upload": ids, "digests": digests, "note": wanted.Note}
	address := "/resources/" + wanted.To + "/content"
	if wanted.To == "" {
		address = "/resources"
		if wanted.Type == "" {
			var found struct{ Types []string }
			if err := c.call(ctx, http.MethodPost, "/uploads/contents", nil, asked, &found); err != nil {
				return Uploaded{}, err
			}
			wanted.Type = found.Types[0]
		}
		asked["type"] = wanted.Type
		for key, value := range map[string]string{"name": wanted.Name, "description": wanted.Description} {
			if value != "" {
				asked[key] = value
			}
		}
		if wanted.Private {
			asked["privacy"] = "PRIVATE"
		}
	}
	var text json.RawMessage
	if err := c.call(ctx, http.MethodPost, address, nil, asked, &text); err != nil {
		return Uploaded{}, err
	}
	var answer uploadTask
	if err := json.Unmarshal(text, &answer); err != nil {
		return Uploaded{}, err
	}
	switch answer.State {
	case "ACTIVE": // an entry
		return Uploaded{ResourceID: answer.ID, VersionNumber: 1}, nil
	case "":
		return answer.Uploaded, nil
	}
	return c.await(ctx, answer)
}

// await waits until a task has ended.
func (c *Client) await(ctx context.Context, task uploadTask) (Uploaded, error) {
	ticks := time.NewTicker(c.interval)
	defer ticks.Stop()
	for {
		switch task.State {
		case "DONE":
			return task.Uploaded, nil
		case "FAILED":
			return Uploaded{}, fault.New(fault.Conflict, "%s", Printable(strings.TrimSpace(task.Problem.Detail)))
		}
		select {
		case <-ctx.Done():
			return Uploaded{}, ctx.Err()
		case <-ticks.C:
		}
		if err := c.call(ctx, http.MethodGet, "/uploads/tasks/"+task.ID, nil, nil, &task); err != nil {
			return Uploaded{}, err
		}
	}
}
