package sessions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/internal/foundation/freeports"
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
func throughNginx(ctx context.Context, folder string, direct program.Way) (way program.Way, stop func(), err error) {
	port, err := freeports.Find(ctx, 1)
	if err != nil {
		return way, nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	folder = filepath.Join(folder, "nginx")
	file := filepath.Join(folder, "nginx.conf")
	config := strings.NewReplacer("FOLDER", folder, "SOCKET", direct.Address, "AUTHORIZATION", direct.Header.Get("Authorization"),
		"ADDRESS", address).Replace(nginxConfig)
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, []byte(config), 0o600)); err != nil {
		return way, nil, err
	}
	command := exec.CommandContext(ctx, nginxProgram, "-e", "stderr", "-p", folder, "-c", file)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := command.Start(); err != nil {
		return way, nil, err
	}
	stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	}
	way = program.To(address)
	way.Base = strings.Replace(direct.Base, "127.0.0.1", address, 1)
	answers, _ := load.Wait(ctx, program.WaitTime, 50*time.Millisecond, func() (bool, error) {
		_, _, _, err := way.Send(ctx, http.MethodGet, way.Base, nil)
		return err == nil, nil
	})
	if !answers {
		stop()
		return way, nil, errors.New("nginx doesn't answer")
	}
	return way, stop, nil
}
