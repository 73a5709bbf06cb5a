package catalog

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// cardLength is the maximum length of a card's description, in characters.
const cardLength = 280

// plainText converts Markdown to one line of plain text, at most limit characters long. Link targets, pictures and
// emphasis are removed, and so are the lines of tables; words stay. It is for readability, not for security: pages show the result as text.
func plainText(markdown string, limit int) string {
	var text strings.Builder
	length := 0 // in characters
	for line := range strings.Lines(markdown) {
		if row := strings.TrimSpace(line); strings.HasPrefix(row, "|") {
			if strings.Trim(row, "|-: ") == "" {
				continue
			}
			line = strings.ReplaceAll(row, "|", " ")
		}
		if strings.Contains(line, "](") {
			line = markdownLink.ReplaceAllString(markdownPicture.ReplaceAllString(line, ""), "$1")
		}
		if strings.Contains(line, "$") {
			line = markdownFormula.ReplaceAllStringFunc(line, readableFormula)
		}
		if strings.ContainsAny(line, "*_`#>") {
			line = markdownSigns.Replace(line)
		}
		for word := range strings.FieldsSeq(line) {
			if length > 0 {
				text.WriteByte(' ')
				length++
			}
			text.WriteString(word)
			if length += utf8.RuneCountInString(word); length > limit {
				cut := string([]rune(text.String())[:limit-1])
				if blank := strings.LastIndexByte(cut, ' '); blank > limit/2 {
					cut = strings.TrimRight(cut[:blank], ",;:")
				}
				return cut + "…"
			}
		}
	}
	return text.String()
}

// readableFormula returns a formula in dollars as people would type it in an e-mail. What isn't one, such as two amounts of
// money, stays as it is.
func readableFormula(formula string) string {
	inside := strings.Trim(formula, "$")
	last := formula[len(formula)-1]
	if inside == "" || strings.TrimSpace(inside) != inside || last != '$' {
		return formula
	}
	inside = formulaCommand.ReplaceAllStringFunc(inside, func(command string) string {
		if sign, known := formulaSigns[strings.TrimSpace(command[1:])]; known {
			return sign
		}
		return ""
	})
	return strings.NewReplacer("{", "", "}", "", "_", "", "~", " ").Replace(inside)
}

var (
	markdownPicture = regexp.MustCompile(`!\[[^\[\]]*\]\([^()]*\)`)
	markdownLink    = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	markdownFormula = regexp.MustCompile(`\$\$?[^$]+\$\$?\d?`) // a digit behind it means money
	formulaCommand  = regexp.MustCompile(`\\([a-zA-Z]+ ?|.)`)
)

// formulaSigns are the commands of formulas that stand for a sign; others, such as those for fonts, say nothing without one.
var formulaSigns = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ",
	"chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"pm": "±", "times": "×", "cdot": "·", "approx": "≈", "sim": "~", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
	"to": "→", "rightarrow": "→", "infty": "∞", "degree": "°", "circ": "°", "%": "%", "$": "$", "&": "&", ",": " ", " ": " ",
}

var markdownSigns = strings.NewReplacer("**", "", "__", "", "`", "", "#", "", "*", "", ">", "")
