package site

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/foundation/fault"
)

const soundSVG = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><circle r="2"/></svg>`

func soundPNG(t *testing.T) string {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	return content.String()
}

// folderWith writes files by name, and the smallest site file with a line about its picture.
func folderWith(t *testing.T, line string, files map[string]string) (site string) {
	t.Helper()
	folder := t.TempDir()
	files["site.yaml"] = strings.Replace(smallest, "  features: []", "  "+line+"\n  features: []", 1)
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "site.yaml")
}

func TestPicturesAreServed(t *testing.T) {
	file := folderWith(t, "picture: {file: hall.png, alt: The hall}", map[string]string{
		"hall.png": soundPNG(t), "mark.svg": soundSVG, "other.svg": soundSVG,
	})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("landing:"), []byte("  mark: mark.svg\nlanding:"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	live, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	get := func(address string, headers ...string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if len(headers) == 2 {
			request.Header.Set(headers[0], headers[1])
		}
		answer := httptest.NewRecorder()
		live.ServeHTTP(answer, request)
		return answer
	}
	for address, want := range map[string]struct{ kind, content string }{
		live.Current().Brand.Mark:          {"image/svg+xml", soundSVG},
		live.Current().Landing.Picture.Src: {"image/png", soundPNG(t)},
	} {
		answer := get(address)
		header := answer.Header()
		if answer.Code != http.StatusOK || header.Get("Content-Type") != want.kind || answer.Body.String() != want.content ||
			!strings.Contains(header.Get("Cache-Control"), "immutable") || header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasSuffix(header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v %q", address, answer.Code, header, answer.Body)
		}
		if again := get(address, "If-None-Match", header.Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", address, again.Code)
		}
		old := get(strings.Replace(address, "?v=", "?v=0", 1)) // an address from before a change
		if old.Code != http.StatusOK || old.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s by an old address: %d %v", address, old.Code, old.Header())
		}
	}
	if kind, content, ok := live.Current().Mark(); !ok || kind != "image/svg+xml" || string(content) != soundSVG {
		t.Errorf("the mark: %s %q %v", kind, content, ok)
	}
	if kind, content, ok := Keep(&Site{}).Current().Mark(); ok {
		t.Errorf("a mark that was not named: %s %q", kind, content)
	}
	for _, path := range []string{"/site/", "/site/other.svg", "/site/site.yaml", "/site/../site.yaml", "/site/hall.png/"} {
		if answer := get(path); answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}

func TestBrokenPictures(t *testing.T) {
	const line = "site.yaml line 8: landing.picture.file "
	secret := filepath.Join(t.TempDir(), "secret.png")
	if err := os.WriteFile(secret, []byte(soundPNG(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"none.png":     "names a file that cannot be read: no such file or directory",
		"folder.png":   "names something that is not a regular file",
		"pipe.png":     "names something that is not a regular file",
		"link.png":     "names a file that cannot be read: path escapes from parent",
		"large.png":    "names a picture larger than 200 KiB",
		"page.png":     "names a file that contains text/html; charset=utf-8, not image/png",
		"mark.jpg":     "names a file that contains image/png, not image/jpeg",
		"page.svg":     `names a file that isn't an SVG: it must begin with <svg xmlns="http://www.w3.org/2000/svg">`,
		"bare.svg":     `names a file that isn't an SVG: it must begin with <svg xmlns="http://www.w3.org/2000/svg">`,
		"half.svg":     "names a file that isn't a valid SVG: XML syntax error on line 1: unexpected EOF",
		"empty.svg":    "names a file that isn't a valid SVG: EOF",
		"entities.svg": "names a file that isn't a valid SVG: XML syntax error on line 1: invalid character entity &a;",
		"mark.gif":     "must be the name of a .svg, .png, .jpg or .webp file next to the site file, made of letters, digits and ._-",
		".hidden.png":  "must be the name of a .svg, .png, .jpg or .webp file next to the site file, made of letters, digits and ._-",
		"a/b.png":      "must be the name of a .svg, .png, .jpg or .webp file next to the site file, made of letters, digits and ._-",
	} {
		t.Run(name, func(t *testing.T) {
			file := folderWith(t, "picture: {file: "+name+", alt: Words}", map[string]string{
				"large.png": soundPNG(t) + strings.Repeat(" ", pictureLimit), "page.png": "<!doctype html>", "mark.jpg": soundPNG(t),
				"page.svg": `<html xmlns="http://www.w3.org/1999/xhtml"/>`, "bare.svg": "<svg/>", "half.svg": strings.Replace(soundSVG, "</svg>", "", 1), "empty.svg": "",
				"entities.svg": `<!DOCTYPE svg [<!ENTITY a "a">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>`,
			})
			folder := filepath.Dir(file)
			if err := os.Mkdir(filepath.Join(folder, "folder.png"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(filepath.Join(folder, "pipe.png"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(secret, filepath.Join(folder, "link.png")); err != nil {
				t.Fatal(err)
			}
			_, err := Load(file)
			if got := fault.MessageOf(err); got != line+want {
				t.Errorf("fault:\n%s\nwant:\n%s", got, line+want)
			}
		})
	}
	if _, err := Load(folderWith(t, "picture: {file: mark.svg}", map[string]string{"mark.svg": soundSVG})); fault.MessageOf(err) !=
		line[:len(line)-1]+": the picture needs an alt text: what it shows, in a few words" {
		t.Errorf("without words: %v", err)
	}
}
