package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Texts that are replaced again and again take room but for a while, and those that stay are found all the same.
func TestRoomOfReplacedTextsIsGivenBack(t *testing.T) {
	t.Parallel()
	ix := New(testTypes)
	const entries, rounds = 300, 40
	ids := make([]string, entries)
	documents := make([]Document, entries)
	for i := range ids {
		ids[i] = uuid.NewString()
	}
	for round := range rounds {
		for i := range documents {
			documents[i] = Document{
				ID: ids[i], Type: testTypes[0], Name: fmt.Sprintf("entry%d", i), Authors: []string{"ada@example.org"},
				Description: strings.Repeat(fmt.Sprintf("round%c ", '一'+round), 200), CreatedAt: time.UnixMicro(1),
			}
		}
		last := entries
		if round > 0 {
			last = entries - 20 // these stay as they were, among texts that go
		}
		ix.Apply(ids[:last], documents[:last])
	}
	held, needed := 0, 0
	for _, block := range ix.texts.blocks {
		held += cap(block)
	}
	for i := range ix.documents {
		found := ix.textsOf(&ix.documents[i])
		needed += len(found.typed) + len(found.record)
	}
	if held > 3*needed+2*largestTextBlock {
		t.Errorf("%d bytes of texts take %d bytes", needed, held)
	}
	for text, want := range map[string]int{fmt.Sprintf("round%c", '一'+rounds-1): entries - 20, "round一": 20, "entry299": 1, "ntry29": 11} {
		found, err := ix.Search(t.Context(), Query{Text: text, Limit: 1})
		if err != nil || found.Total != want || corrected(found) != "" {
			t.Errorf("%q: %d entries, corrected to %q, %v; want %d", text, found.Total, corrected(found), err, want)
		}
	}
}

func TestTextsThatAreCutOffAreRefused(t *testing.T) {
	t.Parallel()
	for _, whole := range []texts{
		{typed: []byte("torch_brain"), name: []byte("torch brain"), record: record{1, 2, 3}},
		{typed: []byte("--"), name: []byte(""), record: record{9}},
		{typed: []byte("same"), name: []byte("same"), record: record{}},
	} {
		packed := whole.pack(nil)
		found, err := unpack(packed)
		if err != nil || string(found.typed) != string(whole.typed) || string(found.name) != string(whole.name) || string(found.record) != string(whole.record) {
			t.Errorf("%q became %q: %v", whole, found, err)
		}
		for length := range len(packed) - len(whole.record) {
			if _, err := unpack(packed[:length]); err == nil {
				t.Errorf("%q was taken for texts", packed[:length])
			}
		}
	}
}
