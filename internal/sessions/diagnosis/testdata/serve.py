"""A package index, Git hosts and broken servers for fail.sh: serve.py FOLDER [CERTIFICATE KEY] prints its port."""

import http.server
import os
import ssl
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_GET(self):
        kind = self.path.split("/")[1]
        if kind == "private":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="code"')
            self.end_headers()
        elif kind in ("broken", "limited"):
            self.send_error(503 if kind == "broken" else 429)
        elif kind == "page":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>A page</title>\n")
        elif kind == "half":
            self.send_response(200)
            self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"001e# service=git-upload-pack\n0000")
        else:
            super().do_GET()


folder, *certificate = sys.argv[1:]
os.chdir(folder)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
