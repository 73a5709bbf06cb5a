package notebook

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEachInkIsReadableOnEachGround computes the contrast of every text color of the stylesheet with every background
// in it: almost any two can occur together, since terminals choose both.
func TestEachInkIsReadableOnEachGround(t *testing.T) {
	sheet := string(Stylesheet())
	inks, grounds := colorsAfter(sheet, `color`), colorsAfter(sheet, `background`)
	if len(inks) < 12 || len(grounds) < 10 || !slices.Contains(grounds, "#ffffff") {
		t.Fatalf("inks %q, grounds %q", inks, grounds)
	}
	for _, ink := range inks {
		for _, ground := range grounds {
			if ratio := contrast(t, ink, ground); ratio < 4.5 {
				t.Errorf("%s on %s has %.2f:1", ink, ground, ratio)
			}
		}
	}
	// Colors in another notation would be missed.
	if other := regexp.MustCompile(`(?:color|background): (?:rgb|hsl|[a-z]+\b)[^;]*;`).FindAllString(sheet, -1); len(other) > 4 {
		t.Errorf("colors that were not looked at: %q", other)
	}
}

func colorsAfter(sheet, property string) []string {
	found := []string{}
	for _, match := range regexp.MustCompile(`(?m)^\s*`+property+`: (#[0-9a-f]{6});`).FindAllStringSubmatch(sheet, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func contrast(t *testing.T, one, other string) float64 {
	a, b := luminance(t, one), luminance(t, other)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// luminance returns the relative luminance of WCAG 2.
func luminance(t *testing.T, color string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		level := float64(part) / 255
		if level <= 0.04045 {
			level /= 12.92
		} else {
			level = math.Pow((level+0.055)/1.055, 2.4)
		}
		sum += weight * level
	}
	return sum
}

// TestEachClassHasAStyle: every class in the code is in the stylesheet.
func TestEachClassHasAStyle(t *testing.T) {
	sheet := string(Stylesheet())
	if strings.Contains(sheet, "url(") || strings.Contains(sheet, "@import") || strings.Contains(sheet, "@font-face") {
		t.Error("the stylesheet loads something")
	}
	classes := map[string]bool{}
	for _, class := range colorsOf {
		classes[class] = true
	}
	for _, name := range colorNames {
		classes["ink-"+name], classes["ground-"+name] = true, true
	}
	for _, file := range goldenFiles(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`class="([^"]+)"`).FindAllStringSubmatch(string(render(t, newRenderer(t), string(source)).HTML), -1) {
			for class := range strings.FieldsSeq(match[1]) {
				classes[class] = true
			}
		}
	}
	for _, plain := range []string{"code", "latex", "tex"} { // for people who read the source
		delete(classes, plain)
	}
	for class := range classes {
		if !regexp.MustCompile(`\.` + class + `\b`).MatchString(sheet) {
			t.Errorf("nothing is said about the class %q", class)
		}
	}
}
