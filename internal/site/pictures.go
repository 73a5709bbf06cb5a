package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// PicturePath is where the pictures of the site file are served, by file name.
const PicturePath = "/site/"

// pictureLimit keeps the first page light: everything it loads should stay below 300 kB.
const pictureLimit = 200 << 10

// picture is a file beside the site file.
type picture struct {
	kind    string // its media type
	digest  string
	content []byte
}

// pictureKinds maps file extensions to media types. All but SVG are also recognized by their first bytes.
var pictureKinds = map[string]string{
	".svg": svgKind, ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp",
}

const svgKind = "image/svg+xml"

var pictureName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,80}\.(?:svg|png|jpe?g|webp)$`)

// IsPictureName reports whether a file beside the site file could be one of its pictures.
func IsPictureName(name string) bool { return pictureName.MatchString(name) }

// readPicture reads a picture beside the site file. The name must stay in that folder, even through links of the file
// system.
func readPicture(folder, name string) (picture, error) {
	if !pictureName.MatchString(name) {
		return picture{}, errors.New("must be the name of a .svg, .png, .jpg or .webp file next to the site file, made of letters, digits and ._-")
	}
	if folder == "" {
		return picture{}, errors.New("needs a file next to the site file, and the built-in site file has none")
	}
	content, err := readInFolder(folder, name)
	if err != nil {
		return picture{}, fmt.Errorf("names a file that cannot be read: %w", reasonOf(err))
	}
	if content == nil {
		return picture{}, errors.New("names something that is not a regular file")
	}
	if len(content) > pictureLimit {
		return picture{}, errors.New("names a picture larger than 200 KiB")
	}
	kind := pictureKinds[path.Ext(name)]
	if kind == svgKind {
		err = checkSVG(content)
	} else if found := http.DetectContentType(content); found != kind {
		err = fmt.Errorf("names a file that contains %s, not %s", found, kind)
	}
	digest := sha256.Sum256(content)
	return picture{kind, hex.EncodeToString(digest[:6]), content}, err
}

// readInFolder reads a regular file up to one byte above pictureLimit; nil for anything else.
func readInFolder(folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() { // opening a named pipe would block
		return nil, err
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, pictureLimit+1))
}

// checkSVG reports whether a browser would show a text as a picture. It doesn't look for script: <img> shows the
// picture, and runs no script and loads nothing.
func checkSVG(content []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	root := true
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && !root {
			return nil
		}
		if err != nil {
			return fmt.Errorf("names a file that isn't a valid SVG: %w", err)
		}
		if start, ok := token.(xml.StartElement); ok && root {
			if start.Name != (xml.Name{Space: "http://www.w3.org/2000/svg", Local: "svg"}) {
				return errors.New(`names a file that isn't an SVG: it must begin with <svg xmlns="http://www.w3.org/2000/svg">`)
			}
			root = false
		}
	}
}

func addressOf(name string, p picture) string {
	return PicturePath + name + "?" + url.Values{"v": {p.digest}}.Encode()
}

// Mark returns the institution's mark and its media type, if the site file names one.
func (s *Site) Mark() (kind string, content []byte, ok bool) {
	address, _, _ := strings.Cut(s.Brand.Mark, "?")
	found, ok := s.pictures[strings.TrimPrefix(address, PicturePath)]
	return found.kind, found.content, ok
}

// ServeHTTP serves the pictures of the site file below PicturePath. The page uses addresses with a digest, so a changed
// picture has another address; any address returns the current picture.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, PicturePath)
	found, ok := l.Current().pictures[name]
	if !ok {
		http.Error(w, "This picture doesn't exist. If the page was just changed, load it again.", http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("Content-Type", found.kind)
	header.Set("ETag", `"`+found.digest+`"`)
	header.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == found.digest {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	// For people who open it directly: then an SVG is a document.
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	header.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(found.content))
}
