package versions

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"testing"
)

// memory is a file of some bytes.
type memory struct{ *bytes.Reader }

func FuzzRecords(f *testing.F) {
	one := appendRecord(nil, chunkRecord, sha256.Sum256([]byte("content")), []byte("content"))
	long := bytes.Repeat([]byte("a line\n"), 1000)
	two := appendRecord(one, versionRecord, sha256.Sum256(long), long)
	f.Add(two)
	f.Add(append([]byte("torn"), two[:len(two)-1]...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		last := int64(0)
		end, err := scan(memory{bytes.NewReader(text)}, int64(len(text)), func(at int64, found record, body []byte) {
			if at < last || int(found.stored) != len(body) {
				t.Errorf("a record at %d after one that ends at %d", at, last)
			}
			last = at + recordHeader + int64(len(body))
			if content, err := found.content(body); err == nil && sha256.Sum256(content) != found.digest {
				t.Error("a content has another digest")
			}
		})
		if err != nil || end != last || end > int64(len(text)) {
			t.Errorf("ended at %d of %d, after %d: %v", end, len(text), last, err)
		}
	})
}

func FuzzTrees(f *testing.F) {
	whole := &tree{nodes: []node{
		{name: "a", kind: File, own: true, mode: 0o644, modified: -5, changed: 7, inode: 9, size: 100, holes: 50, content: reference{2, digest{1, 2}}},
		{name: "b\xff", kind: Folder, account: 1000, mode: 0o755, size: 1, content: reference{0, digest{3}}},
		{name: "c", kind: Link, own: true, target: "../x"},
		{name: "d", kind: File, own: true},
	}}
	f.Add(whole.encode())
	f.Add([]byte{treeFormat})
	if read, err := decodeTree(whole.encode()); err != nil || !reflect.DeepEqual(read.nodes, whole.nodes) {
		f.Fatalf("got %+v %v", read, err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := decodeTree(text)
		if err != nil {
			return
		}
		again, err := decodeTree(read.encode())
		if err != nil || !reflect.DeepEqual(read.nodes, again.nodes) {
			t.Errorf("%+v became %+v: %v", read, again, err)
		}
		for _, one := range read.nodes {
			if !validName(one.name) {
				t.Errorf("the name %q", one.name)
			}
		}
	})
}

func FuzzVersions(f *testing.F) {
	v := &version{about: Version{ID: "x", Line: "l\xff"}, changed: []uint32{1, 2}, leftLen: 5}
	text, err := json.Marshal(v.note())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := parseVersion(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(read.note())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseVersion(again); err != nil {
			t.Errorf("%s became %s: %v", text, again, err)
		}
	})
}

func FuzzIndexes(f *testing.F) {
	f.Add(encodeIndex(100, []packed{{key{1}, 0, 60}, {key{2}, 60, 40}}), int64(100))
	f.Fuzz(func(t *testing.T, text []byte, length int64) {
		chunks, ok := decodeIndex(text, length)
		if ok && !bytes.Equal(encodeIndex(length, chunks), text) {
			t.Error("an index isn't what it was")
		}
	})
}
