package index

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// marked writes what matches in a text in brackets.
func marked(text string, marks []Mark) string {
	units := utf16.Encode([]rune(text))
	var result strings.Builder
	at := 0
	for _, one := range marks {
		result.WriteString(string(utf16.Decode(units[at:one[0]])) + "[" + string(utf16.Decode(units[one[0]:one[1]])) + "]")
		at = one[1]
	}
	return result.String() + string(utf16.Decode(units[at:]))
}

// What a search finds is what it marks, however it is spelled.
func TestMarks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ search, text, want string }{
		{"neuron", "Neurons and a neuron; interneurons", "[Neurons] and a [neuron]; interneurons"},
		{"folding proteins", "How a protein folds", "How a [protein] [folds]"},
		{"brain", "TorchBrain", "Torch[Brain]"},
		{"alphafold 2", "AlphaFold2, alpha-fold-2, AlphaFold 2", "[AlphaFold2], [alpha-fold-2], [AlphaFold] [2]"},
		{"co2", "CO₂ and CO 2", "[CO₂] and [CO] [2]"},
		{"alpha", "TNFα, α and alphas", "TNF[α], [α] and [alphas]"},
		{"uber", "U\u0308ber 🙂 Über", "[U\u0308ber] 🙂 [Über]"},
		{"cell", "🙂🙂 cells", "🙂🙂 [cells]"},
		{`"visual cortex"`, "The visual cortex", "The [visual] [cortex]"},
		{"brain -rat", "Rat brain", "Rat [brain]"},
		{"hyphen", "hy\u00adphen", "[hy\u00adphen]"},
		{"spike", "nothing here", "nothing here"},
	} {
		ix, _ := small(t, "other")
		wanted := ix.parse(test.search, ix.public.bitmap())
		if got := marked(test.text, wanted.matcher().Marks(test.text)); got != test.want {
			t.Errorf("%q marks %q, want %q", test.search, got, test.want)
		}
	}
}

// A part of a name is marked when none of its words match.
func TestMarksOfNames(t *testing.T) {
	t.Parallel()
	ix, _ := small(t, "other")
	for search, want := range map[string]string{"euron": "Int[euron]s", "intern": "[Interneurons]", "xx": "Interneurons"} {
		name := "Interneurons"
		if search == "euron" {
			name = "Inteurons"
		}
		wanted := ix.parse(search, ix.public.bitmap())
		if got := marked(name, wanted.matcher().NameMarks(name)); got != want {
			t.Errorf("%q marks %q, want %q", search, got, want)
		}
	}
}
