package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// jupyter is a way to a Jupyter server.
type jupyter struct {
	client *http.Client
	base   string // its address, without a slash at the end
	header http.Header
}

// clientTo connects to one address, whatever the host in a request; it keeps cookies.
func clientTo(network, address string) *http.Client {
	cookies, _ := cookiejar.New(nil) // it never fails
	return &http.Client{Jar: cookies, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}}
}

// get reads a whole answer, and returns the address that it came from.
func (j jupyter) get(ctx context.Context, address string) (from string, status int, body []byte, err error) {
	return j.send(ctx, http.MethodGet, address, nil)
}

func (j jupyter) send(ctx context.Context, method, address string, content any) (from string, status int, body []byte, err error) {
	var sent io.Reader = http.NoBody
	if content != nil {
		text, err := json.Marshal(content)
		if err != nil {
			return "", 0, nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return "", 0, nil, err
	}
	request.Header = j.header.Clone()
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := j.client.Do(request)
	if err != nil {
		return "", 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.Request.URL.String(), answer.StatusCode, body, err
}

// useKernel starts the notebook's kernel as its page does, and returns when the kernel has answered and is idle.
func (j jupyter) useKernel(ctx context.Context) error {
	server := jupyterkernel.Server{URL: j.base + "/", Header: j.header, Client: j.client}
	kernel, err := server.Start(ctx, "python3", notebook)
	if err != nil {
		return err
	}
	connection, err := server.Dial(ctx, kernel.ID)
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = connection.Info(ctx)
	return err
}
