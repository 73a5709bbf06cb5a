// Package upload measures how fast files arrive, beside the least that a server can do with them: a PUT that is written to the same disk
// and synced.
package upload

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// aim is how fast an upload is at least, beside a PUT.
const aim = 0.8

// chunk is how much the page sends in one request.
const chunk = 16 << 20

type bench struct {
	*report.Setup

	rounds, small int
	bytes         int64
	content       []byte
	cairn, plain  string // addresses
	token         string
	times         map[string][]time.Duration
}

// Run sends a large file, whole and in the chunks of the page, and many small files, packed as the page packs them, to Cairn and by PUT to a
// server beside it, in turns. Its error says that the aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "upload", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		b := &bench{times: map[string][]time.Duration{}}
		flags.IntVar(&b.rounds, "rounds", 7, "how often everything is sent")
		flags.Int64Var(&b.bytes, "bytes", 1<<30, "of the large file")
		flags.IntVar(&b.small, "small", 2000, "how many small files there are, of 8 KiB each")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			b.Setup = with
			if err := b.measure(ctx); err != nil {
				return report.Part{}, err
			}
			return b.results(), nil
		}
	})
}

func (b *bench) measure(ctx context.Context) (err error) {
	b.content = make([]byte, 64<<20) // that is sent again and again
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(b.content)
	cairn := program.Program{Binary: b.Binary, Data: filepath.Join(b.Folder, "data"), Config: program.Config(nil, "uploads: {file: 100GiB, quota: 200GiB}\n")}
	server, err := cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	who, err := cairn.Person(ctx, server, program.Account)
	if err != nil {
		return err
	}
	b.cairn, b.token = server.Address, who.Token()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	plain := &http.Server{Handler: http.HandlerFunc(b.put), ReadHeaderTimeout: time.Minute}
	go func() { _ = plain.Serve(listener) }()
	defer plain.Close()
	b.plain = listener.Addr().String()
	packed := b.packed()
	for round := range b.rounds + 1 {
		b.Say("Round %d of %d", round, b.rounds)
		for name, send := range map[string]func() error{
			putLarge:  func() error { return b.sendPlain(ctx, "large", b.bytes) },
			tusWhole:  func() error { return b.upload(ctx, b.large, b.bytes, b.bytes) },
			tusChunks: func() error { return b.upload(ctx, b.large, b.bytes, chunk) },
			putSmall:  func() error { return b.sendSmall(ctx) },
			tusPacked: func() error {
				return b.upload(ctx, func(from, most int64) io.Reader { return bytes.NewReader(packed[from:][:most]) }, int64(len(packed)), chunk)
			},
		} {
			began := time.Now()
			if err := send(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if round > 0 { // the first one warms
				b.times[name] = append(b.times[name], time.Since(began))
			}
		}
	}
	return nil
}

// What is measured.
const (
	putLarge  = "large file, PUT"
	tusWhole  = "large file, upload in one request"
	tusChunks = "large file, upload in chunks of 16 MiB"
	putSmall  = "small files, a PUT each"
	tusPacked = "small files, packed in one upload"
)

// large returns a part of the large file.
func (b *bench) large(from, most int64) io.Reader {
	return io.LimitReader(&repeated{b.content, int(from % int64(len(b.content)))}, most)
}

type repeated struct {
	content []byte
	at      int
}

func (r *repeated) Read(into []byte) (int, error) {
	read := copy(into, r.content[r.at:])
	r.at = (r.at + read) % len(r.content)
	return read, nil
}

// put is the server beside: it writes what arrives to a file, and answers once that is on the disk.
func (b *bench) put(w http.ResponseWriter, r *http.Request) {
	name := filepath.Join(b.Folder, "put-"+filepath.Base(r.URL.Path))
	file, err := os.Create(name)
	if err == nil {
		_, err = io.Copy(file, r.Body)
		err = errors.Join(err, file.Sync(), file.Close(), os.Remove(name))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (b *bench) sendPlain(ctx context.Context, name string, length int64) error {
	_, err := b.send(ctx, http.MethodPut, "http://"+b.plain+"/"+name, b.large(0, length), length, nil)
	return err
}

func (b *bench) sendSmall(ctx context.Context) error {
	for i := range b.small {
		if err := b.sendPlain(ctx, strconv.Itoa(i), smallBytes); err != nil {
			return err
		}
	}
	return nil
}

const smallBytes = 8 << 10

// packed is a tar stream of the small files.
func (b *bench) packed() []byte {
	var text bytes.Buffer
	archive := tar.NewWriter(&text)
	for i := range b.small {
		_ = archive.WriteHeader(&tar.Header{Name: "folder/" + strconv.Itoa(i), Typeflag: tar.TypeReg, Mode: 0o644, Size: smallBytes})
		_, _ = archive.Write(b.content[i*smallBytes%(len(b.content)-smallBytes):][:smallBytes])
	}
	_ = archive.Close()
	return text.Bytes()
}

// upload sends a file by the tus protocol, and deletes it.
func (b *bench) upload(ctx context.Context, part func(from, most int64) io.Reader, length, most int64) error {
	address := "http://" + b.cairn + program.API + "/uploads"
	made, err := b.send(ctx, http.MethodPost, address, nil, 0, map[string]string{
		"Upload-Length": strconv.FormatInt(length, 10), "Upload-Metadata": "filename " + base64.StdEncoding.EncodeToString([]byte("data.bin")),
	})
	if err != nil {
		return err
	}
	address += "/" + filepath.Base(made.Get("Location"))
	for from := int64(0); from < length; from += most {
		now := min(most, length-from)
		if _, err := b.send(ctx, http.MethodPatch, address, part(from, now), now, map[string]string{
			"Upload-Offset": strconv.FormatInt(from, 10), "Content-Type": "application/offset+octet-stream",
		}); err != nil {
			return err
		}
	}
	_, err = b.send(ctx, http.MethodDelete, address, nil, 0, nil)
	return err
}

func (b *bench) send(ctx context.Context, method, address string, body io.Reader, length int64, header map[string]string) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	request.ContentLength = length
	request.Header.Set("Authorization", "Bearer "+b.token)
	request.Header.Set("Tus-Resumable", "1.0.0")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1000))
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s was answered %d: %s", method, response.StatusCode, text)
	}
	return response.Header, err
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true, WriteBufferSize: 256 << 10}}

func (b *bench) results() report.Part {
	table := report.Table{Columns: []string{"what", "p50 s", "MB/s", "beside PUT"}}
	ratios := map[string]float64{}
	for _, one := range []struct {
		name, beside string
		bytes        int64
	}{
		{putLarge, putLarge, b.bytes},
		{tusWhole, putLarge, b.bytes},
		{tusChunks, putLarge, b.bytes},
		{putSmall, putSmall, int64(b.small) * smallBytes},
		{tusPacked, putSmall, int64(b.small) * smallBytes},
	} {
		took := report.Quantile(b.times[one.name], 0.5).Seconds()
		ratios[one.name] = report.Quantile(b.times[one.beside], 0.5).Seconds() / took
		table.Add(one.name, report.Number(took), report.Number(float64(one.bytes)/1e6/took), report.Number(ratios[one.name]))
	}
	aimOf := func(name string) report.Aim {
		return report.Aim{Text: name + ", speed beside PUT", Limit: aim, Measured: ratios[name], AtLeast: true, Unit: "times"}
	}
	return report.Part{
		Name: "upload", Title: "How fast files arrive",
		About: []string{
			fmt.Sprintf("A file of %s MB, and %s files of 8 KiB, %d times in turns; each begins once the one before is on the disk", report.Whole(int(b.bytes/1e6)), report.Whole(b.small), b.rounds),
			"PUT: a server of Go's standard library that writes what arrives to the same disk and syncs it; an upload is checked against the account, locked and digested as well",
		},
		Aims: []report.Aim{aimOf(tusWhole), aimOf(tusChunks), aimOf(tusPacked)},
		Text: table.String(),
	}
}
