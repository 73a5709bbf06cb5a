package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"cairn/internal/foundation/fault"
)

// Job is a job as far as the commands need it.
type Job struct {
	ID     string
	Name   string
	State  string
	Reason string
	Cells  struct{ Total, Done int }

	JSON json.RawMessage `json:"-"` // as the server sent it
}

// UnmarshalJSON keeps what the server sent.
func (j *Job) UnmarshalJSON(text []byte) error {
	type plain Job
	if err := json.Unmarshal(text, (*plain)(j)); err != nil {
		return err
	}
	j.JSON = append(json.RawMessage(nil), text...)
	return nil
}

func (j Job) state() state { return state{j.State, j.Reason, j.Cells.Done} }

// JobAddress returns the page of a job, for somebody who is signed in there.
func (c *Client) JobAddress(job Job) string { return c.Page("/jobs/" + url.PathEscape(job.ID)) }

// JobRequest says which notebook of an entry a job executes, and with which values.
type JobRequest struct {
	Entry    string   // its id
	File     string   // "": what a session of the entry opens
	Values   []string // NAME=VALUE: the text itself for a parameter that takes text, else JSON
	Deadline string   // such as 2h30m; "": the server's
}

// StartJob starts a job.
func (c *Client) StartJob(ctx context.Context, asked JobRequest) (job Job, err error) {
	body := map[string]any{"resourceId": asked.Entry}
	for name, value := range map[string]string{"file": asked.File, "deadline": asked.Deadline} {
		if value != "" {
			body[name] = value
		}
	}
	if len(asked.Values) > 0 {
		if body["parameters"], err = c.values(ctx, asked); err != nil {
			return Job{}, err
		}
	}
	err = c.call(ctx, http.MethodPost, "/jobs", nil, body, &job, "Idempotency-Key", rand.Text())
	if err == nil && job.ID == "" {
		err = c.noServer(http.StatusOK)
	}
	return job, err
}

// values reads the values as the types of the notebook's parameters want them. The server says what is wrong with them.
func (c *Client) values(ctx context.Context, asked JobRequest) (map[string]json.RawMessage, error) {
	var declared struct{ Parameters []struct{ Name, Type string } }
	query := url.Values{}
	if asked.File != "" {
		query.Set("file", asked.File)
	}
	if err := c.call(ctx, http.MethodGet, "/resources/public/"+url.PathEscape(asked.Entry)+"/parameters", query, nil, &declared); err != nil {
		return nil, err
	}
	types := map[string]string{}
	for _, one := range declared.Parameters {
		types[one.Name] = one.Type
	}
	given := map[string]json.RawMessage{}
	for _, one := range asked.Values {
		name, value, ok := strings.Cut(one, "=")
		if !ok {
			return nil, fault.New(fault.Invalid, "%s isn't NAME=VALUE.", fault.Quote(one))
		}
		given[name] = json.RawMessage(value)
		if types[name] == "string" || !json.Valid([]byte(value)) {
			text, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			given[name] = text
		}
	}
	return given, nil
}

// FollowJob waits until a job has ended, and tells each state that differs from the one before. It returns Conflict for a job that
// failed or was canceled.
func (c *Client) FollowJob(ctx context.Context, job Job, tell func(Job)) error {
	job, err := poll(ctx, c, "/jobs/"+url.PathEscape(job.ID), job, tell, func(now Job) bool { return now.State == "QUEUED" || now.State == "RUNNING" })
	if err == nil && job.State != "DONE" {
		err = fault.New(fault.Conflict, "The job ended before its last cell: %s", Printable(cmp.Or(job.Reason, job.State)))
	}
	return err
}
