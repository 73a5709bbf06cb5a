package notebook

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Limits of highlighted code; longer code is shown without colors. The library reads about half a megabyte a second.
const (
	coloredCell = 20_000 // bytes
	coloredPart = 60_000 // per part
)

// lexersByName returns the lexers for highlighting, by their names and aliases in lower case.
func lexersByName() map[string]chroma.Lexer {
	byName := map[string]chroma.Lexer{}
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		config := lexer.Config()
		for _, name := range append([]string{config.Name}, config.Aliases...) {
			byName[strings.ToLower(name)] = lexer
		}
	}
	byName["ipython"], byName["ipython3"] = byName["python"], byName["python"]
	return byName
}

// colorsOf maps token types to classes. Other types use the class of their family, or none.
var colorsOf = map[chroma.TokenType]string{
	chroma.Keyword: "k", chroma.KeywordConstant: "m", chroma.OperatorWord: "k", chroma.NameBuiltin: "b", chroma.NameBuiltinPseudo: "b",
	chroma.NameFunction: "f", chroma.NameFunctionMagic: "f", chroma.NameClass: "f", chroma.NameDecorator: "d", chroma.NameException: "b",
	chroma.NameTag: "k", chroma.NameAttribute: "b", chroma.NameNamespace: "f", chroma.LiteralString: "s", chroma.LiteralNumber: "m",
	chroma.LiteralDate: "m", chroma.Literal: "s", chroma.StringInterpol: "d", chroma.StringEscape: "d", chroma.Comment: "c", chroma.CommentPreproc: "d",
	chroma.GenericDeleted: "r", chroma.GenericInserted: "i", chroma.GenericHeading: "k",
}

func colorOf(kind chroma.TokenType) string {
	for _, candidate := range []chroma.TokenType{kind, kind.SubCategory(), kind.Category()} {
		if class, ok := colorsOf[candidate]; ok {
			return class
		}
	}
	return ""
}

// lexerOf returns the lexer of a language; nil if it's unknown. Kernels add versions to names, as in "C++17" and "julia 1.10".
func (r *Renderer) lexerOf(language string) chroma.Lexer {
	name := strings.ToLower(language)
	if lexer := r.lexers[name]; lexer != nil {
		return lexer
	}
	return r.lexers[strings.TrimRight(name, " -._0123456789")]
}

// colored turns code into HTML, with colors if the language is known and the lexer is fast enough.
func (p *page) colored(language, code string) string {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	lexer := p.renderer.lexerOf(language)
	if lexer == nil || len(code) > coloredCell || p.coloredBytes+len(code) > coloredPart {
		return escape(code)
	}
	p.coloredBytes += len(code)
	key := pieceKey{"code", language, code}
	if made, ok := p.renderer.pieces.get(key); ok {
		return made
	}
	made, whole := color(lexer, code, p.until)
	if whole {
		p.renderer.pieces.put(key, made)
	}
	return made
}

// color also reports whether it finished in time; the rest of the code is there without colors.
func color(lexer chroma.Lexer, code string, until time.Time) (made string, whole bool) {
	runs, whole := runsOf(lexer, code, until)
	var out strings.Builder
	rest := code
	for _, run := range runs {
		text := escape(rest[:run.bytes])
		if run.class != "" {
			text = `<span class="` + run.class + `">` + text + "</span>"
		}
		out.WriteString(text)
		rest = rest[run.bytes:]
	}
	return out.String() + escape(rest), whole
}

// run is a piece of code in one color.
type run struct {
	bytes int
	class string // "" for none
}

// runsOf splits code into runs from its beginning, and reports whether it finished in time and without a fault of the
// lexer. What is behind the last run has no color.
func runsOf(lexer chroma.Lexer, code string, until time.Time) (runs []run, whole bool) {
	defer func() {
		if recover() != nil { // a lexer has a bug
			runs, whole = nil, false
		}
	}()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code) // which leaves the ends of lines alone
	if err != nil {
		return nil, false
	}
	rest := code
	for token := next(); token != chroma.EOF; token = next() {
		after, ok := strings.CutPrefix(rest, token.Value)
		if !ok { // a lexer that changes the text
			return nil, false
		}
		rest = after
		class := colorOf(token.Type)
		if strings.TrimSpace(token.Value) == "" {
			class = ""
		}
		runs = append(runs, run{len(token.Value), class})
		if time.Now().After(until) {
			return runs, false
		}
	}
	return runs, true
}
