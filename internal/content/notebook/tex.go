package notebook

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tex is a formula in a text.
type tex struct {
	source  string // without its delimiters, but with \begin and \end
	display bool
	length  int // of all in the text
}

// texWindow is how far the end of a formula is searched: a little more than the maximum length of a formula.
const texWindow = formulaBytes + 200

var beginning = regexp.MustCompile(`^\\begin\{((?:equation|align|gather|alignat|eqnarray|multline|flalign)\*?|aligned|gathered|split|cases|array|[pbvBV]?matrix|smallmatrix)\}`)

// opening returns the delimiters that may end a formula that the text begins with; closer is empty if none begins.
func opening(text string) (opener, closer string) {
	switch {
	case strings.HasPrefix(text, "$$"):
		return "$$", "$$"
	case strings.HasPrefix(text, "$"):
		if next, _ := utf8.DecodeRuneInString(text[1:]); len(text) == 1 || unicode.IsSpace(next) {
			return "", ""
		}
		return "$", "$"
	case strings.HasPrefix(text, `\(`):
		return `\(`, `\)`
	case strings.HasPrefix(text, `\[`):
		return `\[`, `\]`
	case strings.HasPrefix(text, `\\(`): // what Jupyter itself asks for
		return `\\(`, `\\)`
	case strings.HasPrefix(text, `\\[`):
		return `\\[`, `\\]`
	}
	if name := beginning.FindStringSubmatch(text); name != nil {
		return name[0], `\end{` + name[1] + `}`
	}
	return "", ""
}

// readTex reads the formula that a text begins with. A single dollar means money unless it encloses something: without
// a space inside, and without a digit after it, as in "$5 and $6".
func readTex(text string) (found tex, ok bool) {
	opener, closer := opening(text)
	if closer == "" {
		return tex{}, false
	}
	inner := text[len(opener):min(len(text), len(opener)+texWindow)]
	end := -1
	for from := 0; from < len(inner); {
		at := strings.Index(inner[from:], closer)
		if at < 0 {
			break
		}
		at += from
		from = at + len(closer)
		if closer[0] == '$' && isEscaped(inner, at) {
			continue
		}
		if closer != "$" || endsFormula(inner, at) {
			end = at
		}
		break
	}
	if end < 0 || strings.TrimSpace(inner[:end]) == "" || blankLine.MatchString(inner[:end]) {
		return tex{}, false
	}
	found = tex{source: inner[:end], display: opener != "$" && opener != `\(` && opener != `\\(`, length: len(opener) + end + len(closer)}
	switch {
	case opener == "$" && isMoney(found.source):
		return tex{}, false
	case opener == `\[` && !strings.ContainsAny(found.source, `\^_=`):
		return tex{}, false // a bracket that Markdown must not parse
	case strings.HasPrefix(opener, `\begin`):
		found.source = text[:found.length]
	}
	return found, true
}

var blankLine = regexp.MustCompile(`\n[ \t>]*\n`)

func isEscaped(text string, at int) bool {
	escapes := 0
	for at-escapes > 0 && text[at-escapes-1] == '\\' {
		escapes++
	}
	return escapes%2 == 1
}

// endsFormula reports whether a dollar ends a formula rather than precedes a price.
func endsFormula(text string, at int) bool {
	last, _ := utf8.DecodeLastRuneInString(text[:at])
	next, _ := utf8.DecodeRuneInString(text[at+1:])
	return at > 0 && !unicode.IsSpace(last) && !unicode.IsDigit(next)
}

// isMoney reports whether the text between two dollars is a price followed by words.
func isMoney(source string) bool {
	return source[0] >= '0' && source[0] <= '9' && joiningWord.MatchString(source) && !strings.ContainsAny(source, `\^_={}`)
}

var joiningWord = regexp.MustCompile(`(?i)[ ,](and|or|to|for|per|from|with|is|was|are|of|in|at|vs|but|the)([ ,.]|$)`)

// splitTex calls plain for the text between formulas and formula for each formula, in order.
func splitTex(text string, plain func(string), formula func(found tex, written string)) {
	begin := 0
	for at := 0; at < len(text); {
		if text[at] == '$' || text[at] == '\\' {
			if found, ok := readTex(text[at:]); ok {
				if at > begin {
					plain(text[begin:at])
				}
				formula(found, text[at:at+found.length])
				at += found.length
				begin = at
				continue
			}
			at++ // escaped characters begin nothing
		}
		at++
	}
	if begin < len(text) {
		plain(text[begin:])
	}
}
