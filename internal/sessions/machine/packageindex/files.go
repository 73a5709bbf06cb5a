package packageindex

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

// Files stores downloads by their SHA-256, in 64 hexadecimal digits.
type Files interface {
	// Open returns the file of a digest, or an error if there is none.
	Open(digest string) (*os.File, error)
	// Create returns a draft for the file of a digest, or an error if it can't be stored now.
	Create(digest string) (Draft, error)
}

// Draft is an incomplete file. Keep ends it, and so does Drop, also after a Keep that failed.
type Draft interface {
	io.Writer
	Keep() error
	Drop()
}

var digestForm = regexp.MustCompile(`^sha256=([0-9a-f]{64})$`)

func (g *Guard) sendFile(w http.ResponseWriter, r *http.Request) error {
	known, err := g.page(r.Context(), r.PathValue("project"))
	if err != nil {
		return err
	}
	wanted, err := known.find(r.PathValue("file"))
	if err != nil {
		http.NotFound(w, r)
		return nil
	}
	digest := ""
	if found := digestForm.FindStringSubmatch(wanted.hash); found != nil {
		digest = found[1]
	}
	if kept := g.index.kept(digest); kept != nil {
		defer kept.Close()
		if _, err := io.Copy(w, kept); err != nil {
			panic(http.ErrAbortHandler) // the box hung up
		}
		return nil
	}
	return g.download(w, r, wanted, digest)
}

// kept returns a stored file whose digest still matches, or nil.
func (i *Index) kept(digest string) *os.File {
	if digest == "" || i.options.Files == nil {
		return nil
	}
	file, err := i.options.Files.Open(digest)
	if err != nil {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err == nil && hex.EncodeToString(sum.Sum(nil)) == digest {
		if _, err := file.Seek(0, io.SeekStart); err == nil {
			return file
		}
	}
	_ = file.Close()
	return nil
}

// download passes a file on while it arrives, and stores it if it is what the index says.
func (g *Guard) download(w http.ResponseWriter, r *http.Request, wanted file, digest string) error {
	response, err := g.index.ask(r.Context(), safehttp.Request{
		Address: wanted.address, MaxBytes: g.index.options.MaxBytes, Timeout: fileTime, Header: http.Header{},
	})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.Status == http.StatusNotFound || response.Status == http.StatusGone {
		http.NotFound(w, r)
		return nil
	}
	if err := response.MustBeOK(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if response.Length >= 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(response.Length, 10))
	}
	keeping := g.index.keep(digest)
	defer keeping.end()
	for part := make([]byte, 64<<10); ; {
		count, err := response.Body.Read(part)
		if g.received.Add(int64(count)) > g.index.options.MaxBytes {
			return fault.New(fault.TooLarge, "The packages are larger than %d bytes together.", g.index.options.MaxBytes)
		}
		keeping.write(part[:count])
		if _, gone := w.Write(part[:count]); gone != nil {
			panic(http.ErrAbortHandler) // the box hung up
		}
		if errors.Is(err, io.EOF) {
			keeping.whole = true
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// keeping stores a file while it passes through. Its errors don't affect the receiver of the file.
type keeping struct {
	draft  Draft // nil: it isn't stored
	digest string
	sum    hash.Hash
	whole  bool
}

func (i *Index) keep(digest string) *keeping {
	k := &keeping{digest: digest, sum: sha256.New()}
	if digest != "" && i.options.Files != nil {
		if draft, err := i.options.Files.Create(digest); err == nil {
			k.draft = draft
		}
	}
	return k
}

func (k *keeping) write(part []byte) {
	if k.draft == nil {
		return
	}
	_, _ = k.sum.Write(part) // never fails
	if _, err := k.draft.Write(part); err != nil {
		k.draft.Drop()
		k.draft = nil
	}
}

// end stores a complete file that is what the index says.
func (k *keeping) end() {
	switch {
	case k.draft == nil:
	case k.whole && hex.EncodeToString(k.sum.Sum(nil)) == k.digest && k.draft.Keep() == nil:
	default:
		k.draft.Drop()
	}
}
