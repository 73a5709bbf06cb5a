// Command archives runs the stand-ins for research archives of internal/entries/archives/archivestest for the browser tests:
// Zenodo, an InvenioRDM, Figshare, a Dataverse, and doi.org, which knows the DOIs of all of them. They listen on loopback
// addresses of their own. The address that it prints says which those are, and has what tests do with them:
//
//	GET  /test/addresses      the addresses by name: zenodo, inveniordm, figshare, dataverse, doi
//	GET  /test/deposits/AT    the drafts and records of zenodo or inveniordm, with the names and texts of their files
//	POST /test/records/AT     publishes a record there that nobody deposited, and answers its DOI
//	POST /test/limit/AT       answers the next calls with 429, as many as the body says
//	POST /test/lose/AT        loses the next answer of the call that the body names
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"cairn/internal/entries/archives/archivestest"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "archives: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("archives", flag.ExitOnError)
	listen := flags.String("listen", "127.0.0.1:0", "loopback address")
	_ = flags.Parse(arguments) // exits the process on errors
	if address, err := netip.ParseAddrPort(*listen); err != nil || !address.Addr().IsLoopback() {
		return fmt.Errorf("--listen must be a loopback address such as 127.0.0.1:0, not %q", *listen)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	server, end := archivestest.Start()
	defer end()
	if _, err := fmt.Fprintln(out, "Archives at http://"+listener.Addr().String()); err != nil {
		return err
	}
	return (&http.Server{Handler: handler(server), ReadHeaderTimeout: 10 * time.Second}).Serve(listener)
}

// standIn is what tests do with any of the stand-ins.
type standIn interface {
	URL() string
	Limit(calls int)
	Lose(call string)
}

func handler(server *archivestest.Server) http.Handler {
	all := map[string]standIn{"zenodo": server.Zenodo, "inveniordm": server.InvenioRDM, "figshare": server.Figshare, "dataverse": server.Dataverse, "doi": server.DOI}
	deposited := map[string]*archivestest.Archive{"zenodo": server.Zenodo, "inveniordm": server.InvenioRDM}
	addresses := map[string]string{}
	for name, one := range all {
		addresses[name] = one.URL()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /test/addresses", func(w http.ResponseWriter, _ *http.Request) { send(w, addresses) })
	mux.HandleFunc("GET /test/deposits/{at}", func(w http.ResponseWriter, r *http.Request) {
		if one := deposited[r.PathValue("at")]; one != nil {
			send(w, deposits(one))
			return
		}
		http.NotFound(w, r)
	})
	mux.HandleFunc("POST /test/records/{at}", func(w http.ResponseWriter, r *http.Request) {
		var item archivestest.Item
		if !read(w, r, &item) {
			return
		}
		at := r.PathValue("at")
		switch {
		case deposited[at] != nil:
			item.DOI, _ = deposited[at].Add(item, "")
		case at == "figshare":
			_, item.DOI = server.Figshare.Add(item, -1)
		case at == "dataverse":
			server.Dataverse.Add(item)
		default:
			http.NotFound(w, r)
			return
		}
		send(w, map[string]string{"doi": item.DOI})
	})
	mux.HandleFunc("POST /test/limit/{at}", lever(all, func(one standIn, calls int) { one.Limit(calls) }))
	mux.HandleFunc("POST /test/lose/{at}", lever(all, func(one standIn, call string) { one.Lose(call) }))
	return mux
}

// lever runs something on the stand-in that the path names, with what the body says.
func lever[Said any](all map[string]standIn, do func(standIn, Said)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		one, ok := all[r.PathValue("at")]
		var body Said
		if !ok {
			http.NotFound(w, r)
			return
		}
		if read(w, r, &body) {
			do(one, body)
			send(w, "done")
		}
	}
}

// deposit is a draft or a record as tests see it.
type deposit struct {
	ID        string            `json:"id"`
	DOI       string            `json:"doi"`
	Published bool              `json:"published"`
	Metadata  map[string]any    `json:"metadata"`
	Files     map[string]string `json:"files"`
}

func deposits(at *archivestest.Archive) []deposit {
	all := []deposit{}
	for _, one := range at.Deposits() {
		files := map[string]string{}
		for name, data := range one.Files {
			files[name] = string(data)
		}
		all = append(all, deposit{one.ID, one.DOI, one.Published, one.Metadata, files})
	}
	return all
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(r.Body).Decode(into)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

func send(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
