package parameters

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// notebookOf returns a notebook with a cell of parameters.
func notebookOf(t testing.TB, language, code string) []byte {
	t.Helper()
	text, err := json.Marshal(code)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": %q}}, "cells": [
		{"cell_type": "code", "id": "a", "metadata": {"tags": ["parameters"]}, "outputs": [], "execution_count": null, "source": %s}]}`, language, text)
}

func read(t testing.TB, language, code string) Declared {
	t.Helper()
	declared, err := Read(notebookOf(t, language, code))
	if err != nil {
		t.Fatal(err)
	}
	return declared
}

// summary writes a parameter as in the tables of these tests.
func summary(p Parameter) string {
	text := p.Name + " " + string(p.Type)
	if p.Nullable {
		text += "?"
	}
	if p.Default != nil {
		text += " " + string(p.Default)
	}
	if p.Help != "" {
		text += " # " + p.Help
	}
	return text
}

// summaries writes everything that was read from a cell.
func summaries(d Declared) []string {
	var list []string
	for _, each := range d.Parameters {
		list = append(list, summary(each))
	}
	for _, line := range d.Unread {
		list = append(list, "! "+line)
	}
	return list
}

var tables = map[string][]struct {
	code string
	want []string
}{
	languagePython: {
		{"a = 1\nb='x'", []string{"a integer 1", `b string "x"`}},
		{"# about\n\n  # more\na = 1  # how many\n", []string{"a integer 1 # how many"}},
		{"a: float = 5 # type: int  of it", []string{"a number 5 # of it"}},
		{"a = None # type: Optional[Dict[str, int]]  by name", []string{"a object? null # by name"}},
		{"a = 5 # type: of thing", []string{"a integer 5 # thing"}},
		{"a: str", []string{"a string"}},
		{"a: str # needed", []string{"a string # needed"}},
		{"a: Thing", []string{"a unknown"}},
		{"a: Thing = 'x'", []string{`a string "x"`}},
		{"a = None\nb: int = None\nc: int | None = 4\nd: None | list[int] = [1]", []string{"a unknown null", "b integer? null", "c integer? 4", "d list? [1]"}},
		{"a: typing.List[int] = []\nb: \"bool\" = True\nc: Union[int, str] = 5\nd: list[int] | dict[str, int] = {}", []string{"a list []", "b boolean true", "c integer 5", "d object {}"}},
		{"a: list[int] | dict | None = 5\nb: Optional[Thing] = 'x'", []string{"a integer? 5", `b string? "x"`}},
		{"a: Sequence = ()\nb: tuple[int, ...] = (1,)\nc: Dict[str, int | None] = {}\nd: Optional[\nint] = 5", []string{"a list []", "b list [1]", "c object {}", "d integer? 5"}},
		{"a = 1; b = 2 # both", []string{"a integer 1", "b integer 2 # both"}},
		{"a = 1; print(a)\nb = 2;", []string{"b integer 2", "! a = 1; print(a)"}},
		{"a = 1;; b = 2\n; c = 3", []string{"! a = 1;; b = 2", "! ; c = 3"}},
		{"a = 1; b = f(';') # x", []string{"a integer 1", "b unknown # x"}},
		{"a = 1\nb = 2\na = 'x'", []string{`a string "x"`, "b integer 2"}},
		{"a = f(1,\n  2)\nb = 3", []string{"a unknown", "b integer 3"}},
		{"a = open('x', # )\n 'y').read() # how\nb = 3", []string{"a unknown # how", "b integer 3"}},
		{"import os\nfrom x import (y,\nz)\na = 1", []string{"a integer 1", "! import os", "! from x import (y,", "! z)"}},
		{"if x:\n    a = 1\n\n    b = 2\nc = 3", []string{"c integer 3", "! if x:", "!     a = 1", "!     b = 2"}},
		{"  a = 1", []string{"!   a = 1"}},
		{"a == 1\na += 1\na, b = 1, 2\na.b = 1\na[0] = 1\na := 5\nclass: int = 5\nNone = 5\n5 = 5\nnaïve = 5\nü = 5", []string{
			"! a == 1", "! a += 1", "! a, b = 1, 2", "! a.b = 1", "! a[0] = 1", "! a := 5", "! class: int = 5", "! None = 5", "! 5 = 5", "! naïve = 5", "! ü = 5",
		}},
		{"a = \nb =# x\nc: = 5", []string{"! a =", "! b =# x", "! c: = 5"}},
		{"a = b = 5\nc = 5 if x else 6\nd = lambda: 5\ne = -True\nf = 5 .real\ng = not True\nh = 1 + 2j\ni = 'a' % b\nj = [1][0]\nk = 5é", []string{
			"a unknown", "c unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown", "k unknown",
		}},
		{"a = b'x'\nb = f'{x}'\nc = rb'x'\nd = ur'x'\ne = 'a' b'b'\nf = '\\N{DASH}'\ng = '\\ud800'\nh = '\\x4'\ni = 'a\nj = '''b", []string{
			"a unknown", "b unknown", "c unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown",
		}},
		{"a = 'x' \"y\" r'\\n' u'z' '''\nb\"'''\nb = ('x' # one\n  'y')\nc = 'a\\\nb'", []string{`a string "xy\\nz\nb\""`, `b string "xy"`, `c string "ab"`}},
		{`a = '\n\\\'\"\a\b\f\v\t\r\101\0\x41\u00e9\U0001F600\d\8\é'`, []string{`a string "\n\\'\"\u0007\b\f\u000b\t\rA\u0000Aé😀\\d\\8\\é"`}},
		{`a = r'\'' r"""\"""" ""`, []string{`a string "\\'\\\""`}},
		{"a = 1_000\nb = 0xFF\nc = 0o17\nd = 0b1_0\ne = -5\nf = + 5\ng = 00\nh = 123456789012345678901234567890", []string{
			"a integer 1000", "b integer 255", "c integer 15", "d integer 2", "e integer -5", "f integer 5", "g integer 0", "h integer 123456789012345678901234567890",
		}},
		{"a = 1.\nb = .5\nc = 1e5\nd = 1_0.0_1E-1_0\ne = -0.0\nf = -0\ng = 007.5\nh = 0e0", []string{
			"a number 1.0", "b number 0.5", "c number 1e5", "d number 10.01E-10", "e number -0.0", "f integer 0", "g number 7.5", "h number 0e0",
		}},
		{"a = 1__0\nb = 012\nc = 1_\nd = 0x\ne = 1e\nf = 1e400\ng = float('nan')\nh = 5j\ni = --5\nj = 1.2.3\nk = 0_7", []string{
			"a unknown", "b unknown", "c unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown", "k unknown",
		}},
		{"a = [1, 'x', [True, None],\n  # about\n  (2.5,), ()]\nb = (1)\nc = 1, 2\nd = 1,\ne = [\n]\nf = {'a': 1, \"b\": {'c': []},}\ng = {'a': 1, 'b': 2, 'a': 3}", []string{
			`a list [1,"x",[true,null],[2.5],[]]`, "b integer 1", "c list [1,2]", "d list [1]", "e list []", `f object {"a":1,"b":{"c":[]}}`, `g object {"a":3,"b":2}`,
		}},
		{"a = [,]\nb = [1 2]\nc = {1: 2}\nd = {1, 2}\ne = {**x}\nf = [*x]\ng = [x]\nh = (,)\ni = [1)\nj = {'a'}\nk = {'a': }", []string{
			"a unknown", "b unknown", "c unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown", "k unknown",
		}},
		{"a = [1", []string{"a unknown"}},
		{"a = 5 \\\n  # no comment\nb = 5 \\\n + 3\nc \\\n = 4", []string{"a integer 5 # no comment", "b unknown", "c integer 4"}},
		{"\"\"\"\na = 5\n\"\"\"\nb = 6", []string{"b integer 6", `! """`, "! a = 5", `! """`}},
		{"%matplotlib inline (\n!echo '\na = 5", []string{"a integer 5", "! %matplotlib inline (", "! !echo '"}},
		{"\n%%bash\na=5", []string{"! %%bash", "! a=5"}},
		{"a = 1\r\nb = '''x\r\ny'''\rc = 2", []string{"a integer 1", `b string "x\ny"`, "c integer 2"}},
		{"a = 1\x00\nb = '\x00'\nc\x00 = 5", []string{"a unknown", "b unknown", "! c\x00 = 5"}},
		{"a = '\\", []string{"a unknown"}},
		{"x = 'a' # '''\ny = 5", []string{`x string "a" # '''`, "y integer 5"}},
		{strings.Repeat("a", 100) + " = 1\n" + strings.Repeat("b", 101) + " = 1", []string{strings.Repeat("a", 100) + " integer 1", "! " + strings.Repeat("b", 101) + " = 1"}},
	},
	languageR: {
		{"a <- 1\nb = 'x' # which\n  d<-5L", []string{"a number 1", `b string "x" # which`, "d integer 5"}},
		{"a <- 5; b <- 6;\nprint(a); d <- 1", []string{"a number 5", "b number 6", "! print(a); d <- 1"}},
		{"a.b_c <- 1\n.x <- 1\n..1 <- 1\n... <- 1\n.5x <- 1\n_a <- 1\nif <- 1\nT <- TRUE\n. <- 1", []string{
			"a.b_c number 1", ".x number 1", "T boolean true", ". number 1", "! ..1 <- 1", "! ... <- 1", "! .5x <- 1", "! _a <- 1", "! if <- 1",
		}},
		{"a <-\n  # about\n 5\nb =\n\n6", []string{"a number 5", "b number 6"}},
		{"a < -5\na <<- 5\n5 -> a\na == 5\na$b <- 5\nnames(a) <- 'x'\n`a b` <- 5\na: 5", []string{
			"! a < -5", "! a <<- 5", "! 5 -> a", "! a == 5", "! a$b <- 5", "! names(a) <- 'x'", "! `a b` <- 5", "! a: 5",
		}},
		{"a <- 1e3\nb <- 0x1F\nc <- 1e3L\nd <- -5\ne <- +5L\nf <- 5.\ng <- .5\nh <- 007\ni <- -2147483647L\nj <- 0xFFL\nk <- -0L", []string{
			"a number 1e3", "b number 31", "c integer 1000", "d number -5", "e integer 5", "f number 5.0", "g number 0.5", "h number 7", "i integer -2147483647", "j integer 255", "k integer 0",
		}},
		{"a <- 1i\nb <- NA\nc <- NaN\nd <- Inf\ne <- T\nf <- 5.5L\ng <- 2147483648L\nh <- 1e999\ni <- NA_character_\nj <- 1e\nk <- --5\nl <- 5 +\n 5", []string{
			"a unknown", "b unknown", "c unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown", "k unknown", "l unknown", "!  5",
		}},
		{"a <- TRUE\nb <- FALSE\nc <- NULL", []string{"a boolean true", "b boolean false", "c unknown null"}},
		{`a <- "\n\\\'\"\a\b\f\v\t\r\` + "`" + `\ \101\x4a\x4\u00e9` + `"`, []string{"a unknown"}}, // \x and \u
		{`a <- "\n\\\'\"\a\b\f\v\t\r\` + "`" + `\ \101\x4a\x4"`, []string{"a string \"\\n\\\\'\\\"\\u0007\\b\\f\\u000b\\t\\r` AJ\\u0004\""}},
		{`a <- '\u00e9\u{e9}\u41\U{1F600}\U0001F600'`, []string{`a string "éé` + "A" + `😀😀"`}},
		{`a <- "\d"` + "\nb <- '\\0'\nc <- '\\x80'\nd <- '\\ud800'\ne <- '\\u{1F600}'\nf <- '\\u'\ng <- '\\u{41'\nh <- '\\U110000'", []string{
			"a unknown", "b unknown", "c unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown",
		}},
		{"a <- 'x\ny'\nb <- \"x # y\"", []string{`a string "x\ny"`, `b string "x # y"`}},
		{"a <- r\"(x)\"\nb <- R'---[\\n]--'\n]---'\nc <- r'{}'\nd <- r\"x\"\ne <- 5", []string{`a string "x"`, `b string "\\n]--'\n"`, `c string ""`, "d unknown", "e number 5"}},
		{"a <- c(1, 2.5, -3L)\nb <- c()\nc <- c('a',\n # x\n 'b')\nd <- c(TRUE)", []string{"a list [1,2.5,-3]", "b list []", `c list ["a","b"]`, "d list [true]"}},
		{"a <- c(1, 'x')\nb <- c(1, NULL)\nd <- c(x = 1)\ne <- c(1,)\nf <- c(1, c(2))\ng <- c(list(1))\nh <- c(1, TRUE)\ni <- c\nj <- c(T)\nk <- c(1)[1]", []string{
			"a unknown", "b unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown", "k unknown",
		}},
		{"a <- list(1, 'x', NULL, list(), c(1))\nb <- list(x = 1, 'y z' = list(`q` = TRUE), \"\\u00e9\" = NULL)\nd <- list()", []string{`a list [1,"x",null,[],[1]]`, `b object {"x":1,"y z":{"q":true},"é":null}`, "d list []"}},
		{"a <- list(x = 1, 2)\nb <- list(1, x = 2)\nd <- list(x = 1, x = 2)\ne <- list('' = 1)\nf <- list(1,)\ng <- list(x == 1)\nh <- list(x)\ni <- list(if = 1)\nj <- list(x =)", []string{
			"a unknown", "b unknown", "d unknown", "e unknown", "f unknown", "g unknown", "h unknown", "i unknown", "j unknown",
		}},
		{"f <- function(x) {\n  y <- 5\n}\na <- 5\nif (a) {\n  b <- 5\n}\nfor (i in 1)\n  b <- 6\nd <- 7", []string{"f unknown", "a number 5", "d number 7", "! if (a) {", "!   b <- 5", "! }", "! for (i in 1)", "!   b <- 6"}},
		{"a <- f(r\"(\")\")\nb <- f(`'`)\nd <- 5", []string{"a unknown", "b unknown", "d number 5"}},
		{"a <- b <- 5\na <-\nb <- 6", []string{"a unknown"}},
		{"a <- 5 # type: int", []string{"a number 5 # type: int"}},
		{"a <- 5 %in% c(1)\nb <- 'x' 'y'\nd <- 5 \\\n", []string{"a unknown", "b unknown", "d unknown"}},
	},
}

func TestReadCells(t *testing.T) {
	for language, table := range tables {
		for _, row := range table {
			if got := summaries(read(t, language, row.code)); !slices.Equal(got, row.want) {
				t.Errorf("%s\n%s\ngot  %q\nwant %q", language, row.code, got, row.want)
			}
		}
	}
}

// TestReadAsInterpretersDo reads the same cells, and each of their lines, with the interpreters.
func TestReadAsInterpretersDo(t *testing.T) {
	for language, table := range tables {
		t.Run(language, func(t *testing.T) {
			ask := startOracle(t, language)
			for _, row := range table {
				agrees(t, ask, language, row.code)
				for line := range strings.SplitSeq(row.code, "\n") {
					agrees(t, ask, language, line)
				}
			}
		})
	}
}

// agrees compares what is read from a cell with what an interpreter reads. A cell that it can't read has nothing to compare.
func agrees(t testing.TB, ask oracle, language, code string) {
	t.Helper()
	declared := read(t, language, code)
	values := map[string]json.RawMessage{}
	for _, each := range declared.Parameters {
		if each.Default != nil {
			values[each.Name] = each.Default
		}
	}
	code = strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
	found := ask(code, values)
	unsure := len(declared.Unread) > 0 || slices.ContainsFunc(declared.Parameters, func(p Parameter) bool { return p.Type == Unknown })
	if !found.Readable || language == languageR && unsure { // in R a line may belong to one that can't be read
		return
	}
	if len(found.Wrong) > 0 {
		t.Errorf("%s reads %q otherwise: %q; we read %q", language, code, found.Wrong, summaries(declared))
	}
	for _, each := range declared.Parameters {
		kind := found.Assigned[each.Name]
		if kind == "" || each.Default == nil && kind == "literal" && language == languagePython && !strings.Contains(code, `\N`) {
			t.Errorf("%s finds %s %q in %q; we read %q", language, each.Name, kind, code, summaries(declared))
		}
		if class := found.Classes[each.Name]; class == "integer" != (each.Type == Integer) && (class == "integer" || class == "numeric") && !strings.ContainsAny(string(each.Default), "[") {
			t.Errorf("R reads %s in %q as %s; we read %q", each.Name, code, class, summaries(declared))
		}
	}
}
