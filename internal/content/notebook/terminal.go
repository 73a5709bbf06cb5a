package notebook

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// terminal renders text as a terminal would, line by line: colors become classes; carriage returns and backspaces make
// later text overwrite earlier text, as in progress bars. All other control sequences are dropped.
type terminal struct {
	style  style
	line   []character
	column int
	lines  []string // finished, as HTML
	bytes  int      // of lines
	limit  int      // of bytes: the rest is only counted
	left   int      // bytes of text beyond the limit
}

// character is the content of one column.
type character struct {
	rune  rune
	style style
}

// style is the style of characters. Colors are 1 to 16, 0 means none.
type style struct {
	ink, ground              uint8
	bold, italic, under, out bool
	inverse                  bool
}

// lineColumns is the maximum length of a line; an endless one would need endless memory.
const lineColumns = 20_000

// write appends text with control sequences.
func (t *terminal) write(text string) {
	begins := len(t.line) == 0 && t.column == 0 // a line
	for text != "" {
		if t.bytes > t.limit {
			t.left += len(text)
			return
		}
		// Most text has no control characters: whole lines of it need no columns. The end of a line is searched once, because
		// a flood of control characters would be slow otherwise.
		if begins && t.style == (style{}) {
			if end := strings.IndexByte(text[:min(len(text), lineColumns)], '\n'); end >= 0 && isPlain(text[:end]) {
				t.finish(escape(text[:end]))
				text = text[end+1:]
				continue
			}
		}
		begins = false
		first, width := utf8.DecodeRuneInString(text)
		switch first {
		case '\n':
			t.finish(t.html())
			t.line, t.column, begins = t.line[:0], 0, true
		case '\r':
			t.column = 0
		case '\b':
			t.column = max(t.column-1, 0)
		case 0x1b:
			width = t.sequence(text)
		case '\t':
			t.put('\t')
		default:
			if first >= ' ' && first != 0x7f {
				t.put(first)
			}
		}
		text = text[width:]
	}
}

func isPlain(line string) bool {
	for i := range len(line) {
		if line[i] < ' ' && line[i] != '\t' {
			return false
		}
	}
	return true
}

func (t *terminal) put(r rune) {
	switch {
	case t.column < len(t.line):
		t.line[t.column] = character{r, t.style}
	case len(t.line) < lineColumns:
		t.line = append(t.line, character{r, t.style})
	default:
		t.left += utf8.RuneLen(r)
		return
	}
	t.column++
}

func (t *terminal) finish(line string) {
	t.lines = append(t.lines, line)
	t.bytes += len(line) + 1
}

// end returns all lines.
func (t *terminal) end() []string {
	if len(t.line) > 0 {
		t.finish(t.html())
		t.line = nil
	}
	return t.lines
}

// html returns the current line.
func (t *terminal) html() string {
	var out strings.Builder
	for begin := 0; begin < len(t.line); {
		end := begin
		var run strings.Builder
		for end < len(t.line) && t.line[end].style == t.line[begin].style {
			run.WriteRune(t.line[end].rune)
			end++
		}
		if classes := t.line[begin].style.classes(); classes != "" {
			out.WriteString(`<span class="` + classes + `">` + escape(run.String()) + "</span>")
		} else {
			out.WriteString(escape(run.String()))
		}
		begin = end
	}
	return out.String()
}

// sequence executes the control sequence that text begins with and returns its length.
func (t *terminal) sequence(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[': // CSI: parameters, then one letter
		end := 2
		for end < len(text) && end < 64 && (text[end] < 0x40 || text[end] > 0x7e) && text[end] >= ' ' {
			end++
		}
		if end == len(text) || text[end] < 0x40 || text[end] > 0x7e {
			return end
		}
		switch text[end] {
		case 'm':
			t.style.set(text[2:end])
		case 'K':
			t.erase(text[2:end])
		case 'G': // to a column
			t.column = min(max(numberIn(text[2:end])-1, 0), len(t.line))
		case 'C': // to the right
			t.column = min(t.column+max(numberIn(text[2:end]), 1), len(t.line))
		case 'D': // to the left
			t.column = max(t.column-max(numberIn(text[2:end]), 1), 0)
		}
		return end + 1
	case '(', ')', '*', '+': // a set of characters, by one letter
		return min(3, len(text))
	case ']': // OSC: up to BEL or ESC \, such as the title of a window
		for end := 2; end < len(text) && end < 4096 && text[end] != '\n'; end++ {
			if text[end] == 7 {
				return end + 1
			}
			if text[end] == 0x1b {
				return min(end+2, len(text))
			}
		}
		return 2
	}
	return 2
}

// numberIn returns the number of a sequence; 0 without one.
func numberIn(parameters string) int {
	number, err := strconv.Atoi(parameters)
	if err != nil {
		return 0
	}
	return number
}

// erase erases the line, or one side of it.
func (t *terminal) erase(which string) {
	column := min(t.column, len(t.line))
	switch which {
	case "", "0":
		t.line = t.line[:column]
	case "1":
		for i := range column {
			t.line[i] = character{rune: ' '}
		}
	case "2":
		t.line, t.column = t.line[:0], 0
	}
}

// set applies the parameters of a sequence "m".
func (s *style) set(parameters string) {
	numbers := []int{}
	for code := range strings.SplitSeq(strings.ReplaceAll(parameters, ":", ";"), ";") {
		number, err := strconv.Atoi("0" + code) // none is 0
		if err != nil {
			return
		}
		numbers = append(numbers, number)
	}
	for i := 0; i < len(numbers); i++ {
		code := numbers[i]
		switch {
		case code == 0:
			*s = style{}
		case code == 1:
			s.bold = true
		case code == 3:
			s.italic = true
		case code == 4:
			s.under = true
		case code == 7:
			s.inverse = true
		case code == 9:
			s.out = true
		case code == 22:
			s.bold = false
		case code == 23:
			s.italic = false
		case code == 24:
			s.under = false
		case code == 27:
			s.inverse = false
		case code == 29:
			s.out = false
		case code >= 30 && code <= 37:
			s.ink = uint8(code - 29)
		case code == 39:
			s.ink = 0
		case code >= 40 && code <= 47:
			s.ground = uint8(code - 39)
		case code == 49:
			s.ground = 0
		case code >= 90 && code <= 97:
			s.ink = uint8(code - 81)
		case code >= 100 && code <= 107:
			s.ground = uint8(code - 91)
		case code == 38 || code == 48:
			color, used := manyColors(numbers[i+1:])
			i += used
			if code == 38 {
				s.ink = color
			} else {
				s.ground = color
			}
		}
	}
}

// manyColors reads what follows 38 or 48: 5;N of 256 colors or 2;R;G;B. The policy of the frame allows no inline style,
// and a color chosen for another background might not be readable; so it becomes the nearest of the sixteen.
func manyColors(numbers []int) (color uint8, used int) {
	switch {
	case len(numbers) >= 2 && numbers[0] == 5:
		n := min(max(numbers[1], 0), 255)
		switch {
		case n < 16:
			return uint8(n + 1), 2
		case n < 232:
			level := func(step int) int { return [6]int{0, 95, 135, 175, 215, 255}[step] }
			return nearest(level((n-16)/36), level((n-16)/6%6), level((n-16)%6)), 2
		}
		grey := 8 + 10*(n-232)
		return nearest(grey, grey, grey), 2
	case len(numbers) >= 4 && numbers[0] == 2:
		return nearest(numbers[1], numbers[2], numbers[3]), 4
	}
	return 0, len(numbers)
}

// sixteen are the colors of a common terminal.
var sixteen = [16][3]int{
	{0, 0, 0},
	{205, 0, 0},
	{0, 205, 0},
	{205, 205, 0},
	{0, 0, 238},
	{205, 0, 205},
	{0, 205, 205},
	{229, 229, 229},
	{127, 127, 127},
	{255, 0, 0},
	{0, 255, 0},
	{255, 255, 0},
	{92, 92, 255},
	{255, 0, 255},
	{0, 255, 255},
	{255, 255, 255},
}

func nearest(red, green, blue int) uint8 {
	best, least := 0, 1<<30
	for i, color := range sixteen {
		r, g, b := color[0]-min(max(red, 0), 255), color[1]-min(max(green, 0), 255), color[2]-min(max(blue, 0), 255)
		if distance := r*r + g*g + b*b; distance < least {
			best, least = i, distance
		}
	}
	return uint8(best + 1)
}

// colorNames are the classes of the sixteen: a dim and a bright one share a readable color.
var colorNames = [8]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

func (s style) classes() string {
	ink, ground := s.ink, s.ground
	if s.inverse {
		ink, ground = ground, ink
		if ground == 0 {
			ground = 8
		}
	}
	classes := []string{}
	if ink > 0 {
		classes = append(classes, "ink-"+colorNames[(ink-1)%8])
	}
	if ground > 0 {
		classes = append(classes, "ground-"+colorNames[(ground-1)%8])
	}
	for _, way := range []struct {
		set  bool
		name string
	}{{s.bold, "bold"}, {s.italic, "italic"}, {s.under, "under"}, {s.out, "out"}} {
		if way.set {
			classes = append(classes, way.name)
		}
	}
	return strings.Join(classes, " ")
}
