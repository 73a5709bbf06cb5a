package comparator

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
)

// bound is how much memory a comparison may take beside the file that is being read.
const bound = 256 << 20

// heapPeak returns the most memory that the heap took while work ran, beyond what it took before. It is sampled, so it
// can be less than the true peak, and counts garbage too.
func heapPeak(work func()) uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, done, peak := read(), make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		for {
			select {
			case <-done:
				peak <- most - before
				return
			default:
				most = max(most, read())
				runtime.Gosched()
			}
		}
	}()
	work()
	close(done)
	return <-peak
}

// hostile are pairs of notebooks made to be expensive.
func hostile() map[string]func() (author, run []byte) {
	whole := func(cells ...string) []byte {
		return []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + strings.Join(cells, ",") + `]}`)
	}
	one := func(outputs ...string) []byte { return whole(code("a", "f()", 1, outputs...)) }
	numbers := func(seed uint64, count int) string {
		random, out := rand.New(rand.NewPCG(seed, 1)), strings.Builder{}
		for range count {
			fmt.Fprintf(&out, "%.6f\n", random.Float64())
		}
		return out.String()
	}
	return map[string]func() ([]byte, []byte){
		"100 MB of text": func() ([]byte, []byte) {
			return one(stdout(strings.Repeat("a line of text\n", 7_000_000))), one(stdout(strings.Repeat("a line of test\n", 7_000_000)))
		},
		"100 MB of text in many pieces": func() ([]byte, []byte) {
			piece := strings.Repeat(stdout("ten bytes\n")+",", 1_500_000)
			return one(piece + stdout("a")), one(piece + stdout("b"))
		},
		"many texts of the largest size": func() ([]byte, []byte) {
			var author, run []string
			for i := range 40 {
				author = append(author, code(fmt.Sprint(i), "f()", 1, stdout(numbers(1, 110_000))))
				run = append(run, code(fmt.Sprint(i), "f()", 1, stdout(numbers(2, 110_000))))
			}
			return whole(author...), whole(run...)
		},
		"as many lines as are compared": func() ([]byte, []byte) {
			return one(stdout(numbers(1, textLines-1))), one(stdout(numbers(2, textLines-2)))
		},
		"one long line": func() ([]byte, []byte) {
			return one(stdout(strings.Repeat("/tmp/a 1.5 ", textBytes/11-1))), one(stdout(strings.Repeat("/tmp/b 1.6 ", textBytes/11-1)))
		},
		"a long line of backspaces": func() ([]byte, []byte) {
			return one(stdout(strings.Repeat("a\b", textBytes/2-1))), one(stdout(strings.Repeat("b\r", textBytes/2-1)))
		},
		"an image bomb": func() ([]byte, []byte) {
			return one(shows("image/png", bomb(60_000, 60_000))), one(shows("image/png", bomb(60_001, 60_000)))
		},
		"an image bomb with sides of a picture": func() ([]byte, []byte) {
			return one(shows("image/png", bomb(16_000, 16_000))), one(shows("image/png", bomb(16_000, 16_001)))
		},
		"pictures of the largest size": func() ([]byte, []byte) {
			return one(shows("image/png", noise(3000, 2000, 1))), one(shows("image/png", noise(3000, 2000, 2)))
		},
		"many small pictures": func() ([]byte, []byte) {
			var author, run []string
			for i := range 200 {
				author, run = append(author, shows("image/png", noise(200, 150, i))), append(run, shows("image/png", noise(200, 150, i+1)))
			}
			return one(author...), one(run...)
		},
		"10,000 cells": func() ([]byte, []byte) {
			var author, run []string
			for i := range 10_000 {
				author = append(author, code(fmt.Sprint(i), fmt.Sprint("f", i), 1, stdout(fmt.Sprint(i))))
				run = append(run, code(fmt.Sprint(i), fmt.Sprint("f", i), 1, stdout(fmt.Sprint(-i))))
			}
			return whole(author...), whole(run...)
		},
		"a million outputs": func() ([]byte, []byte) {
			many := strings.Repeat(`{"output_type":"display_data","data":{"text/plain":"a"}},`, 1_000_000)
			return one(many + stdout("a")), one(many + stdout("b"))
		},
		"deep JSON": func() ([]byte, []byte) {
			deep := func(core string) string {
				return `{"output_type":"display_data","data":{"application/json":` + strings.Repeat(`{"a":[`, 4_000) + core + strings.Repeat(`]}`, 4_000) + `}}`
			}
			return one(deep("1")), one(deep("2"))
		},
		"wide JSON": func() ([]byte, []byte) {
			wide := func(core string) string {
				return `{"output_type":"display_data","data":{"application/json":[` + strings.Repeat("0,", textBytes/2-10) + core + `]}}`
			}
			return one(wide("1")), one(wide("2"))
		},
		"HTML of ids": func() ([]byte, []byte) {
			var page strings.Builder
			for i := range 19_000 {
				fmt.Fprintf(&page, `<p id="i%d" for="#i%d">%d</p>`, i, i, i)
			}
			return one(shows("text/html", page.String()+"a")), one(shows("text/html", page.String()+"b"))
		},
		"HTML of attributes": func() ([]byte, []byte) {
			page := "<p " + strings.Repeat("a ", textBytes/2-10) + ">"
			return one(shows("text/html", page)), one(shows("text/html", page+"b"))
		},
	}
}

func TestThoroughWhatNotebooksCost(t *testing.T) {
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			author, run := pair()
			var result Result
			peak := heapPeak(func() {
				a, err := Read(author)
				if err != nil {
					t.Fatal(err)
				}
				r, err := Read(run)
				if err != nil {
					t.Fatal(err)
				}
				again, err := Read(author)
				if err != nil {
					t.Fatal(err)
				}
				result = Compare(a, r, again)
			})
			t.Logf("%d MiB for two notebooks of %d and %d MiB", peak>>20, len(author)>>20, len(run)>>20)
			if peak > bound {
				t.Errorf("it took %d MiB", peak>>20)
			}
			lines := 0
			for _, cell := range result.Cells {
				for _, difference := range cell.Differences {
					lines += len(difference.Lines)
				}
			}
			if result.Counts.Same == len(result.Cells) || lines > 10_000 {
				t.Errorf("counts are %+v, and %d lines are shown", result.Counts, lines)
			}
		})
	}
}

// Where texts differ is looked for as long as all of them together aren't too long.
func TestRowsOfAllOutputsAreBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	symbols := func(lines int) string {
		text := make([]byte, 0, 2*lines)
		for range lines {
			text = append(text, "ab"[random.IntN(2)], '\n')
		}
		return string(text)
	}
	many := func(cells, lines int, output func(string) string) *Notebook {
		var list []string
		for i := range cells {
			list = append(list, code(fmt.Sprint("c", i), "f()", 1, output(symbols(lines))))
		}
		return notebook(t, list...)
	}
	for name, test := range map[string]struct {
		cells, lines int
		output       func(string) string
		most         int // outputs of which lines are shown
	}{
		"streams":    {60, 6_000, stdout, 20},
		"displays":   {60, 6_000, func(text string) string { return shows("text/plain", text) }, 20},
		"a few":      {12, 6_000, stdout, 12},
		"short ones": {30, 20, stdout, 30},
	} {
		t.Run(name, func(t *testing.T) {
			shown := 0
			for _, cell := range Compare(many(test.cells, test.lines, test.output), many(test.cells, test.lines, test.output), nil).Cells {
				if len(cell.Differences) != 1 || cell.Verdict != Different {
					t.Fatalf("a cell is %+v", cell)
				}
				if one := cell.Differences[0]; len(one.Lines) > 0 {
					shown++
				} else if !one.Cut {
					t.Error("lines are left out without a word")
				}
			}
			if shown != test.most {
				t.Errorf("lines of %d outputs are shown", shown)
			}
		})
	}
}

// What is beyond a limit is compared by its digest, and the result says so.
func TestBeyondALimit(t *testing.T) {
	long := strings.Repeat("x", textBytes)
	for name, test := range map[string]struct {
		author, run string
		want        Verdict
	}{
		"same":      {stdout(long + "a"), stdout(long + "a"), Identical},
		"different": {stdout(long + "a"), stdout(long + "b"), Different},
		"pieces":    {stdout(long) + "," + stdout("a"), stdout(long + "a"), Identical},
		"a picture": {shows("image/png", bomb(60_000, 60_000)), shows("image/png", bomb(60_000, 60_001)), Different},
	} {
		t.Run(name, func(t *testing.T) {
			cell := Compare(notebook(t, code("a", "f()", 1, test.author)), notebook(t, code("a", "f()", 1, test.run)), nil).Cells[0]
			if cell.Verdict != test.want {
				t.Fatalf("it is %s, want %s", cell.Verdict, test.want)
			}
			if test.want == Different && (len(cell.Differences) != 1 || len(cell.Differences[0].Notes) != 1 || cell.Differences[0].Notes[0] != NoteDigest) {
				t.Errorf("it doesn't say how it was compared: %+v", cell.Differences)
			}
		})
	}
}

// noise returns a picture that hardly compresses, in base64.
func noise(width, height, seed int) string {
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(random.UintN(4)) * 60
	}
	for i := 3; i < len(picture.Pix); i += 4 {
		picture.Pix[i] = 255
	}
	picture.Set(0, 0, color.White)
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		panic(err) // in memory
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// bomb returns a small PNG that says it is large, and begins with some of its pixels.
func bomb(width, height uint32) string {
	var pixels bytes.Buffer
	packed := zlib.NewWriter(&pixels)
	_, _ = packed.Write(make([]byte, 1000))
	_ = packed.Close()
	file := []byte("\x89PNG\r\n\x1a\n")
	for _, part := range []string{fmt.Sprintf("IHDR%s%s\x08\x02\x00\x00\x00", big(width), big(height)), "IDAT" + pixels.String()} {
		file = fmt.Appendf(file, "%s%s%s", big(uint32(len(part)-4)), part, big(crc32.ChecksumIEEE([]byte(part))))
	}
	return base64.StdEncoding.EncodeToString(file)
}

func big(n uint32) []byte { return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} }
