package notebook

import (
	"regexp"
	"slices"
	"strings"
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
		return "$", "$"
	case strings.HasPrefix(text, `\(`):
		return `\(`, `\)`
	case strings.HasPrefix(text, `\[`):
		return `\[`, `\]`
	case strings.HasPrefix(text, `\ref{`):
		return `\ref{`, "}"
	case strings.HasPrefix(text, `\eqref{`):
		return `\eqref{`, "}"
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

// readTex reads the formula that a text begins with. Dollars enclose one wherever Jupyter draws one, whatever blanks are
// inside, unless what they enclose reads as an amount of money or as words, as in "$5 and $6".
func readTex(text string) (found tex, ok bool) {
	opener, closer := opening(text)
	if closer == "" {
		return tex{}, false
	}
	inner := text[len(opener):min(len(text), len(opener)+texWindow)]
	if empty := blankLine.FindStringIndex(inner); empty != nil {
		inner = inner[:empty[0]+1]
	}
	end := endOfTex(inner, closer)
	if end < 0 || strings.TrimSpace(inner[:end]) == "" {
		return tex{}, false
	}
	found = tex{source: inner[:end], display: !slices.Contains(inlineOpeners, opener), length: len(opener) + end + len(closer)}
	switch {
	case opener == "$" && isMoney(found.source, inner[end+1:]):
		return tex{}, false
	case opener == `\[` && !strings.ContainsAny(found.source, `\^_=`):
		return tex{}, false // a bracket that Markdown must not parse
	case strings.HasPrefix(opener, `\begin`), strings.HasSuffix(opener, "{"):
		found.source = text[:found.length]
	}
	return found, true
}

// inlineOpeners begin formulas that stand in a line.
var inlineOpeners = []string{"$", `\(`, `\\(`, `\ref{`, `\eqref{`}

// endOfTex returns where a formula ends: at the first closing delimiter that no brace encloses, as in \text{for $x$}, or at
// the first one at all if braces are missing; -1 if there is none.
func endOfTex(inner, closer string) int {
	first, depth := -1, 0
	for at := 0; at < len(inner); at++ {
		if isDollar := closer[0] == '$'; strings.HasPrefix(inner[at:], closer) && (!isDollar || !isEscaped(inner, at)) {
			if !isDollar || depth <= 0 {
				return at
			}
			if first < 0 {
				first = at
			}
		}
		switch inner[at] {
		case '`': // dollars in code delimit nothing
			at += codeLength(inner[at:]) - 1
		case '{':
			if !isEscaped(inner, at) {
				depth++
			}
		case '}':
			if !isEscaped(inner, at) {
				depth--
			}
		}
	}
	return first
}

// codeLength returns the length of the code that a text begins with, in backticks, or of its backticks if no others end it.
func codeLength(text string) int {
	marks := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	for at := len(marks); ; {
		next := strings.Index(text[at:], marks)
		if next < 0 {
			return len(marks)
		}
		at += next
		ending := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if at += ending; ending == len(marks) {
			return at
		}
	}
}

var blankLine = regexp.MustCompile(`\n[ \t>]*\n`)

func isEscaped(text string, at int) bool {
	escapes := 0
	for at-escapes > 0 && text[at-escapes-1] == '\\' {
		escapes++
	}
	return escapes%2 == 1
}

// isMoney reports whether what two dollars enclose, which the rest follows, is an amount with words, or words with names
// that begin with a dollar.
func isMoney(source, rest string) bool {
	if strings.ContainsAny(source, `\^_={}`) {
		return false
	}
	amount := isDigit(strings.TrimLeft(source, " "))
	open := !strings.HasPrefix(source, " ") && strings.HasSuffix(source, " ") // as before the dollar of the next amount
	switch {
	case joiningWord.MatchString(source):
		return amount || open || !strings.ContainsAny(source, "=<>+-*/|()[]")
	case amount:
		return isDigit(rest) || open && afterAmount.MatchString(source)
	}
	return false
}

func isDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

var afterAmount = regexp.MustCompile(`[a-zA-Z]{2}|[,;:.)] *$`)

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
