package index

import (
	"slices"
	"strings"
	"testing"
)

func TestWordForms(t *testing.T) {
	t.Parallel()
	for _, family := range []struct{ same, apart string }{
		{"spectrum spectra", "specular"},
		{"stimulus stimuli stimulation", "stipule"},
		{"bacterium bacteria bacterial", "batter"},
		{"formula formulae formulas", "formic"},
		{"malaria malarial", "malaise"},
		{"crystallography crystallographic crystallographer", "crustal"},
		{"hypothesis hypotheses", "hyperthermia"},
		{"matrix matrices", "matron"},
		{"cortex cortices cortical", "cortisone"},
		{"recognizes recognition", "record"},
		{"virus viruses", "virtue"}, // too short to lose its ending
	} {
		words := strings.Fields(family.same)
		ix, names := small(t, append(words, family.apart)...)
		first, want := words[0], slices.Sorted(slices.Values(words))
		if got, hint := found(t, ix, names, first); hint != nil || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s finds %q, want %q", first, got, want)
		}
	}
}

func TestOtherScriptsHaveNoStems(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"кошки", "naïves", "細胞", "الكتاب", "νευρώνες", "한국어"} {
		if stemmed := stem(word); stemmed != "" || beginning(word) != word {
			t.Errorf("%s has the stem %q, its beginning is %q", word, stemmed, beginning(word))
		}
	}
	ix, names := small(t, "кошка", "кошки", "кошкинский")
	if got, _ := found(t, ix, names, "кошки"); !slices.Equal(got, []string{"кошки", "кошкинский"}) {
		t.Errorf("it finds %q", got)
	}
}
