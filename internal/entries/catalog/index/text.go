package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// textRules is incremented when the rules in this file change, so that older snapshots aren't used.
const textRules = 4

// Fold removes case, diacritics and invisible characters from a text (Unicode NFKD, marks removed, lower case), and
// writes letters that Unicode doesn't decompose, such as ß and ø, as people do who don't have them.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return undecomposed.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || invisible(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text)))
}

var undecomposed = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ħ", "h", "ı", "i",
)

// invisible reports whether a rune stands inside words without being a part of them: soft hyphens and what else only
// says where a line may break.
func invisible(r rune) bool {
	return r == '\u00ad' || (r >= '\u200b' && r <= '\u200d') || r == '\u2060' || r == '\ufeff'
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// form says how a token was derived from a text.
type form uint8

const (
	plain  form = iota // a word that doesn't split
	whole              // a word that splits, as a whole
	part               // one of its parts, which follow it
	joined             // the words before it that hyphens link, as one word
)

// token is a folded word of a text.
type token struct {
	text string
	form form
}

// Words that hyphens link are joined up to these limits; longer chains are sentences or names of files.
const (
	mostJoined   = 4  // words
	longestToken = 40 // letters of the joined word, in bytes
)

// tokens splits a text at everything that isn't a letter or digit, so "_ - . /" separate; a word that splits yields the
// whole word and its parts, and linked words also the joined word. So a text without a separator that is in a folded
// text is in one of the tokens.
func tokens(text string) []token {
	var result []token
	chain, linked := "", 0
	join := func() {
		if linked > 1 && linked <= mostJoined && len(chain) <= longestToken {
			result = append(result, token{chain, joined})
		}
		chain, linked = "", 0
	}
	eachWord(text, func(word string, afterHyphen bool) {
		if !afterHyphen {
			join()
		}
		folded := Fold(word)
		if folded == "" { // only accents
			return
		}
		parts := splitWord(word)
		switch {
		case len(parts) > 1:
			result = append(result, token{folded, whole})
			for _, one := range parts {
				result = append(result, token{foldPart(one), part})
			}
		case isGreekLetter(word):
			result = append(result, token{folded, whole}, token{foldPart(word), part})
		default:
			result = append(result, token{folded, plain})
		}
		if linked++; len(chain) <= longestToken {
			chain += folded
		}
	})
	join()
	return result
}

// contentTerms is the maximum number of different terms of a content.
const contentTerms = 256

// contentTokens returns the tokens of a content, up to where it has the maximum number of different terms.
func contentTokens(text string) []token {
	all := tokens(text)
	if len(all) <= contentTerms {
		return all
	}
	different := make(map[string]bool, contentTerms)
	for i, one := range all {
		if different[one.text] = true; len(different) > contentTerms {
			return all[:i]
		}
	}
	return all
}

// eachWord calls found with every word of a text, and with whether only a hyphen or an underscore is between it and the
// word before.
func eachWord(text string, found func(word string, afterHyphen bool)) {
	if !isASCII(text) {
		text = norm.NFC.String(strings.Map(func(r rune) rune {
			if invisible(r) {
				return -1
			}
			return r
		}, text))
	}
	eachSpan(text, func(begin, end int, afterHyphen bool) { found(text[begin:end], afterHyphen) })
}

// eachSpan is eachWord for a text as it is written, with the words' offsets in bytes.
func eachSpan(text string, found func(begin, end int, afterHyphen bool)) {
	apart := func(r rune) bool { return separates(r) && !invisible(r) }
	last := -1 // where the word before ends
	for begin := 0; ; {
		next := strings.IndexFunc(text[begin:], func(r rune) bool { return !apart(r) })
		if next < 0 {
			return
		}
		begin += next
		length := strings.IndexFunc(text[begin:], apart)
		if length < 0 {
			length = len(text) - begin
		}
		found(begin, begin+length, last >= 0 && links(text[last:begin]))
		begin += length
		last = begin
	}
}

// links reports whether what is between two words makes one of them: a hyphen of any kind, an en dash or minus as in
// Michaelis–Menten, or an underscore.
func links(between string) bool {
	switch between {
	case "-", "_", "\u2010", "\u2011", "\u2012", "\u2013", "\u2212", "\ufe63", "\uff0d":
		return true
	}
	return false
}

func plainWords(text string) []string {
	var words []string
	eachWord(text, func(word string, _ bool) { words = append(words, word) })
	return words
}

// separates reports whether a rune separates words: it isn't a letter, digit or mark, and doesn't fold to any, unlike
// the subscript two of CO₂.
func separates(r rune) bool {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
		return false
	case r < utf8.RuneSelf:
		return true
	}
	return strings.IndexFunc(norm.NFKD.String(string(r)), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// mostDigitParts is the maximum number of borders between letters and digits at which a word splits: those with more are
// digests and serial numbers.
const mostDigitParts = 5

// splitWord splits a word between letters and digits, between Greek letters and others, and where camelCase does: before
// each upper-case letter that follows a lower-case one, and before the last letter of an upper-case run that is followed
// by a lower-case one ("HTMLParser": HTML, Parser).
func splitWord(word string) []string {
	if !mixed(word) {
		return []string{word}
	}
	runes := []rune(word)
	var parts []string
	start := 0
	atDigits := digitBorders(runes) <= mostDigitParts
	for i := 1; i < len(runes); i++ {
		before, here := runes[i-1], runes[i]
		if unicode.Is(unicode.Mn, here) {
			continue
		}
		afterLower := unicode.IsUpper(here) && unicode.IsLower(before)
		endOfRun := unicode.IsUpper(here) && unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		atDigit := atDigits && unicode.IsNumber(here) != unicode.IsNumber(before)
		if afterLower || endOfRun || atDigit || isGreek(here) != isGreek(before) {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}

// mixed reports whether a word may split: most don't.
func mixed(word string) bool {
	letters, numbers, greek := false, false, false
	for i, r := range word {
		switch {
		case unicode.IsNumber(r):
			numbers = true
		case isGreek(r):
			greek = true
		default:
			letters = true
			if i > 0 && unicode.IsUpper(r) {
				return true
			}
		}
	}
	return numbers && (letters || greek) || letters && greek
}

func digitBorders(runes []rune) int {
	borders := 0
	for i := 1; i < len(runes); i++ {
		if unicode.IsNumber(runes[i]) != unicode.IsNumber(runes[i-1]) {
			borders++
		}
	}
	return borders
}

// isGreek also counts the micro sign, which folds to a mu.
func isGreek(r rune) bool { return r >= 'µ' && (r == 'µ' || unicode.Is(unicode.Greek, r)) }

func isGreekLetter(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && greekNames[unicode.ToLower(r)] != ""
}

// foldPart folds a part of a word; a single Greek letter becomes its name.
func foldPart(text string) string {
	if r, size := utf8.DecodeRuneInString(text); size == len(text) {
		if name := greekNames[unicode.ToLower(r)]; name != "" {
			return name
		}
	}
	return Fold(text)
}

var greekNames = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", 'ε': "epsilon", 'ζ': "zeta", 'η': "eta", 'θ': "theta", 'ι': "iota",
	'κ': "kappa", 'λ': "lambda", 'µ': "mu", 'μ': "mu", 'ν': "nu", 'ξ': "xi", 'ο': "omicron", 'π': "pi", 'ρ': "rho", 'σ': "sigma",
	'ς': "sigma", 'τ': "tau", 'υ': "upsilon", 'φ': "phi", 'χ': "chi", 'ψ': "psi", 'ω': "omega",
}

// forms returns the words of a text in the two forms that another text may have them in: whole, and split. The second
// is left out when it is the same; a text without words has none.
func forms(text string) [][]string {
	var wholes, parts []string
	for _, one := range typedWords(text) {
		wholes = append(wholes, one.text)
		parts = append(parts, one.parts...)
	}
	switch {
	case len(wholes) == 0:
		return nil
	case slices.Equal(wholes, parts):
		return [][]string{wholes}
	}
	return [][]string{wholes, parts}
}

// typedWord is a folded word of a search text.
type typedWord struct {
	text  string
	parts []string // of a word that splits; else the word alone
}

// splits reports whether others may have written the word as several, or a Greek letter as its name.
func (w *typedWord) splits() bool { return len(w.parts) > 1 || w.parts[0] != w.text }

func typedWords(text string) []typedWord {
	var words []typedWord
	eachWord(text, func(word string, _ bool) {
		typed := typedWord{text: Fold(word)}
		if typed.text == "" {
			return
		}
		for _, one := range splitWord(word) {
			typed.parts = append(typed.parts, foldPart(one))
		}
		words = append(words, typed)
	})
	return words
}

// alternatives returns search words in the ways that somebody else may have written them: as they are, with two
// neighbors joined, and all joined ("alpha fold 2": alphafold2).
func alternatives(words []typedWord) [][]typedWord {
	ways := [][]typedWord{words}
	if len(words) < 2 || len(words) > mostAlternatives {
		return ways
	}
	join := func(from, to int) {
		var together strings.Builder
		for _, one := range words[from:to] {
			together.WriteString(one.text)
		}
		text := together.String()
		if len(text) <= longestToken {
			ways = append(ways, slices.Concat(words[:from], []typedWord{{text, []string{text}}}, words[to:]))
		}
	}
	for i := range len(words) - 1 {
		join(i, i+2)
	}
	if len(words) > 2 && len(words) <= mostJoined {
		join(0, len(words))
	}
	return ways
}

// mostAlternatives is the maximum number of words of a search text of which two are joined.
const mostAlternatives = 6

// FoldName folds a name and joins its words with single blanks, so that "torch_brain" and "Torch  Brain" are the same.
func FoldName(name string) string {
	folded := plainWords(name)
	for i, word := range folded {
		folded[i] = Fold(word)
	}
	return strings.Join(folded, " ")
}

// grams returns the substrings of these lengths of a folded text, each once.
func grams(text string, shortest, longest int) []gram {
	runes := []rune(text)
	result := make([]gram, 0, (longest-shortest+1)*len(runes))
	for i := range runes {
		for length := shortest; length <= longest && i+length <= len(runes); length++ {
			result = append(result, packGram(runes[i:i+length]))
		}
	}
	slices.Sort(result)
	return slices.Compact(result)
}

// gram is up to three letters of 21 bits each; shorter ones are padded with zeros on the left.
type gram uint64

// Entries are indexed by the one- and two-letter parts of their names, words of names by their three-letter parts.
const (
	gramLength     = 2
	wordGramLength = 3
)

func packGram(letters []rune) gram {
	var packed gram
	for _, letter := range letters {
		packed = packed<<21 | gram(letter)
	}
	return packed
}

// prefixLength is the maximum length of prefixes that get their own sets if many words have them; longer ones have few
// words.
const prefixLength = 3

// prefixes returns the first letters of a word.
func prefixes(word string) []string {
	result := make([]string, 0, prefixLength)
	for i := range word {
		if i > 0 {
			result = append(result, word[:i])
		}
		if len(result) == prefixLength {
			return result
		}
	}
	return append(result, word)
}
