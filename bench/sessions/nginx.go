package sessions

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const nginxProgram = "/usr/sbin/nginx"

// nginxConfig forwards everything to a socket, over connections that are kept, and checks nothing.
const nginxConfig = `user root;
daemon off;
pid FOLDER/pid;
error_log stderr crit;
events {}
http {
	access_log off;
	client_body_temp_path FOLDER/body;
	proxy_temp_path FOLDER/proxy;
	fastcgi_temp_path FOLDER/fastcgi;
	uwsgi_temp_path FOLDER/uwsgi;
	scgi_temp_path FOLDER/scgi;
	upstream session { server unix:SOCKET; keepalive 16; }
	map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
	server {
		listen ADDRESS;
		location / {
			proxy_pass http://session;
			proxy_http_version 1.1;
			proxy_set_header Host $http_host;
			proxy_set_header Authorization "AUTHORIZATION";
			proxy_set_header Upgrade $http_upgrade;
			proxy_set_header Connection $connection_upgrade;
		}
	}
}
`

// throughNginx starts nginx before the socket that another way uses, for comparison: what a proxy needs that does nothing
// else.
func throughNginx(ctx context.Context, folder string, direct way) (_ way, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return way{}, nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return way{}, nil, err
	}
	folder = filepath.Join(folder, "nginx")
	config := strings.NewReplacer("FOLDER", folder, "SOCKET", direct.address, "AUTHORIZATION", direct.header.Get("Authorization"),
		"ADDRESS", address).Replace(nginxConfig)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return way{}, nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "nginx.conf"), []byte(config), 0o600); err != nil {
		return way{}, nil, err
	}
	command := exec.CommandContext(ctx, nginxProgram, "-e", "stderr", "-p", folder, "-c", filepath.Join(folder, "nginx.conf"))
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := command.Start(); err != nil {
		return way{}, nil, err
	}
	stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	}
	for deadline := time.Now().Add(waitTime); ; pause(ctx, 50*time.Millisecond) {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			base := strings.Replace(direct.base, "127.0.0.1", address, 1)
			return way{name: "through nginx", address: address, client: clientTo("tcp", address), base: base, header: http.Header{}}, stop, connection.Close()
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			stop()
			return way{}, nil, fmt.Errorf("nginx doesn't answer: %w", err)
		}
	}
}
