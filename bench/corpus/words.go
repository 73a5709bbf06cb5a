package corpus

import (
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	onsets  = strings.Fields("b c d f g h j k l m n p r s t v w z br ch cl cr dr fl gl gr ph pl pr qu sc sp st th tr")
	nuclei  = strings.Fields("a e i o u a e i o u ai ea eo ia io oa ou")
	codas   = []string{"", "", "", "", "n", "r", "s", "l", "m", "t", "x", "nd", "rt", "st", "ct"}
	openers = strings.Fields("neuro bio hydro photo electro micro macro meta hyper thermo geo astro cardio cyto immuno magneto nano poly proto pseudo spectro")
	closers = strings.Fields("ase ine osis ology metry gram oid ium ation ing al ic ics ane itis scopy graph")
	accents = map[rune]rune{'a': 'á', 'e': 'é', 'i': 'ï', 'o': 'ö', 'u': 'ü', 'n': 'ñ', 'c': 'ç'}
)

// vocabulary returns words that can be pronounced, all different even without their diacritics. The first ones, which
// are the most frequent, are short, as "data" and "model" are; one in fifty has a diacritic.
func vocabulary(random *rand.Rand, size int) []string {
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	syllable := func() string { return pick(onsets) + pick(nuclei) + pick(codas) }
	words := make([]string, 0, size)
	seen := make(map[string]bool, size)
	for len(words) < size {
		word := syllable()
		for range min(3, len(words)/100) {
			if random.IntN(4) > 0 {
				word += syllable()
			}
		}
		if len(words) > 300 && random.IntN(5) == 0 {
			word = pick(openers) + word
		}
		if len(words) > 300 && random.IntN(3) == 0 {
			word += pick(closers)
		}
		if seen[word] || len(word) > 24 || (len(words) < 300 && len(word) < 4) {
			continue
		}
		seen[word] = true
		if random.IntN(50) == 0 {
			word = accentuate(word)
		}
		words = append(words, word)
	}
	return words
}

// accentuate adds a diacritic to the last letter that can carry one.
func accentuate(word string) string {
	letters := []rune(word)
	for i := len(letters) - 1; i >= 0; i-- {
		if accented, ok := accents[letters[i]]; ok {
			letters[i] = accented
			break
		}
	}
	return string(letters)
}

// Fold converts a text to lower case without diacritics.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// zipf draws ranks from 0, each with a probability proportional to 1/(rank+1+shift)^exponent.
type zipf struct{ cumulative []float64 }

func newZipf(size int, exponent, shift float64) zipf {
	z := zipf{make([]float64, size)}
	sum := 0.0
	for rank := range z.cumulative {
		sum += math.Pow(float64(rank)+1+shift, -exponent)
		z.cumulative[rank] = sum
	}
	return z
}

func (z zipf) draw(random *rand.Rand) int {
	last := len(z.cumulative) - 1
	return min(sort.SearchFloat64s(z.cumulative, random.Float64()*z.cumulative[last]), last)
}
