package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"cairn/bench/program"
)

const api = "/api/v1/rf"

// Server is a running Cairn and what the demo's accounts need to use it.
type Server struct {
	Address         string // host:port of the gateway
	Token, Operator string // of a researcher and an operator
	Entry           string // the id of the repository
}

// Serve runs the program while work is done.
func Serve(ctx context.Context, program program.Program, work func(*Server) error) (err error) {
	running, err := program.Start(ctx, search, startTime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Stop()) }()
	s := &Server{Address: running.Address}
	if s.Token, err = program.Output(ctx, "token", person); err != nil {
		return err
	}
	if s.Operator, err = program.Output(ctx, "token", "operator@example.org"); err != nil {
		return err
	}
	var entries []struct{ ID, Name string }
	if err := s.Call(ctx, s.Token, http.MethodGet, "/resources/search?type=REPOSITORY&name="+url.QueryEscape(repository), nil, &entries); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name == repository {
			s.Entry = entry.ID
			return work(s)
		}
	}
	return fmt.Errorf("the demo has no repository %q", repository)
}

var client = &http.Client{Timeout: waitTime}

// Call makes a call of the API with a token, and reads its answer unless that is nil.
func (s *Server) Call(ctx context.Context, token, method, path string, content, answer any) error {
	j := jupyter{client: client, header: http.Header{"Authorization": {"Bearer " + token}}}
	_, status, body, err := j.send(ctx, method, "http://"+s.Address+api+path, content)
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return fmt.Errorf("%s %s: %d %.300s", method, path, status, body)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(body, answer)
}

// session is one that was started, and the way into it.
type session struct {
	jupyter

	id string
}

// Start starts a session, uses it and removes it.
func (s *Server) Start(ctx context.Context) (Usable, error) { return s.startTogether(ctx, 1) }

// startTogether starts so many at once, and returns when the last of them could be used.
func (s *Server) startTogether(ctx context.Context, count int) (last Usable, err error) {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	began := time.Now()
	last, err = together(count, func(int) (found Usable, err error) {
		open, err := s.open(ctx)
		if err != nil {
			return found, err
		}
		found.Page = time.Since(began)
		err = open.useKernel(ctx)
		found.Kernel = time.Since(began)
		return found, err
	})
	return last, errors.Join(err, s.removeAll(ctx))
}

// open clicks on Run: it returns when the page of the notebook was answered.
func (s *Server) open(ctx context.Context) (*session, error) {
	var started struct{ ID, OpenURL string }
	if err := s.Call(ctx, s.Token, http.MethodPost, "/sessions", map[string]string{"resourceId": s.Entry}, &started); err != nil {
		return nil, err
	}
	origin, _, _ := strings.Cut(started.OpenURL, "/.cairn/")
	parsed, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	way := jupyter{client: clientTo("tcp", "127.0.0.1:"+parsed.Port()), header: http.Header{"Origin": {origin}}}
	from, status, body, err := way.get(ctx, started.OpenURL) // and where it leads
	if err != nil || status != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the session was answered %d: %.300s", status, body), err)
	}
	if strings.Contains(from, "/.cairn/") {
		next, err := way.awaitLaunch(ctx, origin, started.ID)
		if err != nil {
			return nil, err
		}
		if from, status, _, err = way.get(ctx, origin+next); err != nil || status != http.StatusOK {
			return nil, errors.Join(fmt.Errorf("the notebook was answered %d", status), err)
		}
	}
	base, found := strings.CutSuffix(from, "/notebooks/"+notebook)
	if !found {
		return nil, fmt.Errorf("the session led to %s", from)
	}
	way.base = base
	return &session{way, started.ID}, nil
}

// awaitLaunch follows the events of a launch page until they say where to go.
func (j jupyter) awaitLaunch(ctx context.Context, origin, id string) (next string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/.cairn/s/"+id+"/events", http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header = j.header.Clone()
	answer, err := j.client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	for reader := bufio.NewReader(answer.Body); ; {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return "", fmt.Errorf("the events of the launch ended: %w", err)
		}
		var state struct{ Status, Headline, Next string }
		if data, found := bytes.CutPrefix(line, []byte("data:")); found && json.Unmarshal(data, &state) == nil {
			switch {
			case state.Next != "":
				return state.Next, nil
			case state.Status != "" && state.Status != "CREATED" && state.Status != "RUNNING":
				return "", fmt.Errorf("the session became %s: %s", state.Status, state.Headline)
			}
		}
	}
}

// removeAll deletes the sessions, even when the benchmark was stopped, and returns when they are gone.
func (s *Server) removeAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waitTime)
	defer cancel()
	var all []struct{ ID string }
	if err := s.Call(ctx, s.Token, http.MethodGet, "/sessions", nil, &all); err != nil {
		return err
	}
	for _, one := range all {
		if err := s.Call(ctx, s.Token, http.MethodDelete, "/sessions/"+one.ID, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// awaitWarm waits until so many warm sessions can be claimed.
func (s *Server) awaitWarm(ctx context.Context, count int) error {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	ticks := time.NewTicker(200 * time.Millisecond)
	defer ticks.Stop()
	for {
		var page struct{ Warm []struct{ Phase string } }
		if err := s.Call(ctx, s.Operator, http.MethodGet, "/operator/sessions?live=true", nil, &page); err != nil {
			return err
		}
		ready := 0
		for _, one := range page.Warm {
			if one.Phase == "ready" {
				ready++
			}
		}
		if ready >= count {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d warm sessions are ready: %w", ready, count, ctx.Err())
		}
	}
}

// kernelsUsed is the number of claimed sessions whose kernel is used as well. They are used after the claims, which come
// faster than a kernel starts.
const kernelsUsed = 5

// claims claims warm sessions one after the other.
func (s *Server) claims(ctx context.Context, count, kept int) (found []Usable, err error) {
	if err := s.awaitWarm(ctx, kept); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.removeAll(ctx)) }()
	var opened []*session
	for range count {
		began := time.Now()
		open, err := s.open(ctx)
		if err != nil {
			return found, err
		}
		found = append(found, Usable{Page: time.Since(began)})
		opened = append(opened, open)
	}
	for i, open := range opened[:min(kernelsUsed, len(opened))] {
		began := time.Now()
		if err := open.useKernel(ctx); err != nil {
			return found, err
		}
		found[i].Kernel = found[i].Page + time.Since(began)
	}
	return found, nil
}

func installed(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// script drives the browser; it uses the packages of the browser tests.
const script = "bench/launch/plot.mjs"

// journeys measures how long it takes from the landing page to a plot that was computed just now.
func (s *Server) journeys(ctx context.Context, o options, tell func(string, ...any)) (found []time.Duration, lacking string, err error) {
	if o.journeys == 0 {
		return nil, "none was asked for", nil
	}
	for _, needed := range []string{o.browser, "e2e/node_modules/playwright-core"} {
		if !installed(needed) {
			return nil, needed + " isn't installed", nil
		}
	}
	tell("from the landing page to a plot, %d times", o.journeys)
	for range o.journeys {
		ctx, cancel := context.WithTimeout(ctx, waitTime)
		command := exec.CommandContext(ctx, "node", script, "http://"+s.Address, o.browser, person, repository)
		var complaint bytes.Buffer
		command.Stderr = &complaint
		output, err := command.Output()
		cancel()
		if err != nil {
			return found, "", fmt.Errorf("%s: %w\n%s", script, err, complaint.String())
		}
		var took struct{ Milliseconds float64 }
		if err := json.Unmarshal(output, &took); err != nil {
			return found, "", err
		}
		_, _ = io.Copy(os.Stderr, &complaint)
		found = append(found, time.Duration(took.Milliseconds*float64(time.Millisecond)))
		if err := s.removeAll(ctx); err != nil {
			return found, "", err
		}
	}
	return found, "", nil
}
