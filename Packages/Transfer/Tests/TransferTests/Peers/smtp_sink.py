"""A mail server on loopback that keeps what it is given, for tests; Python's standard library alone.

    python3 smtp_sink.py '{"replies": {"RCPT": "550 5.1.1 nobody"}, "tls": "starttls", "certificate": …, "key": …}'

prints {"port": N} and then a JSON line for each mail that it took. Replies to a command, to "." (the mail itself) and to
"" (the greeting) are its own unless given; a list is used up one by one, and a reply of null is none at all.
"""

import base64
import json
import os
import queue
import random
import socketserver
import ssl
import sys
import threading
import time


class Session(socketserver.StreamRequestHandler):
    def say(self, command, text):
        reply = self.server.reply(command, text)
        if reply is not None:
            self.wfile.write(reply.encode() + b"\r\n")
        return reply

    def wrap(self):
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self.rfile = self.request.makefile("rb")
        self.wfile = self.request.makefile("wb", buffering=0)
        self.is_tls = True

    def handle(self):
        with self.server.lock:
            self.server.talking += 1
        try:
            self.converse()
        except (OSError, ssl.SSLError):
            pass
        finally:
            with self.server.lock:
                self.server.talking -= 1

    def converse(self):
        options = self.server.options
        self.is_tls = False
        if options.get("tls") == "implicit":
            self.wrap()
        user = mail = None
        commands = []
        self.say("", "220 sink ESMTP")
        while line := self.rfile.readline(65536):
            text = line.decode("latin-1").rstrip("\r\n")
            verb = text.split(" ")[0].upper()
            commands.append(text if verb != "AUTH" else "AUTH")
            if verb == "EHLO":
                mail = {"hello": text[5:], "recipients": []}
                offers = ["sink", "8BITMIME", "SIZE 1000000"]
                if options.get("tls") == "starttls" and not self.is_tls:
                    offers.append("STARTTLS")
                if options.get("user") and (self.is_tls or options.get("auth_in_clear")):
                    offers.append("AUTH PLAIN")
                lines = [f"250-{offer}" for offer in offers[:-1]] + [f"250 {offers[-1]}"]
                self.say(verb, "\r\n".join(lines))
            elif verb == "STARTTLS":
                reply = self.say(verb, "220 go on")
                if reply and reply.startswith("2"):
                    self.wrap()
            elif verb == "AUTH":
                given = text.split(" ")[2] if text.count(" ") > 1 else None
                if given is None:
                    self.wfile.write(b"334 \r\n")
                    given = self.rfile.readline(65536).decode().strip()
                _, name, password = base64.b64decode(given).decode().split("\0")
                user = name if [name, password] == [options["user"], options["password"]] else None
                self.say(verb, "235 welcome" if user else "535 5.7.8 wrong user or password")
            elif verb == "MAIL":
                mail = {**(mail or {}), "sender": text[10:].split(">")[0].lstrip("<"), "recipients": []}
                self.say(verb, "250 ok")
            elif verb == "RCPT":
                mail["recipients"].append(text[8:].split(">")[0].lstrip("<"))
                self.say(verb, "250 ok")
            elif verb == "DATA":
                if not self.say(verb, "354 end with .").startswith("354"):
                    continue
                lines = []
                while (line := self.rfile.readline(65536)) not in (b".\r\n", b""):
                    lines.append(line[1:] if line.startswith(b".") else line)
                if not line:
                    return
                mail |= {"message": b"".join(lines).decode("utf-8"), "tls": self.is_tls, "user": user}
                # It is kept before the reply leaves, as a relay does.
                self.server.wait()
                self.server.keep(mail | {"commands": list(commands)})
                self.server.wait()
                self.say(".", "250 2.0.0 taken")
            elif verb == "NOOP":
                self.say(verb, "250 2.0.0 ok")
            elif verb == "QUIT":
                self.say(verb, "221 bye")
                return
            else:
                self.say(verb, "502 unknown")


class Sink(socketserver.ThreadingTCPServer):
    """The server, on a thread of its own until close()."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, options=None, taken=None, port=0):
        super().__init__(("127.0.0.1", port), Session)
        self.options = options or {}
        self.mails = []
        self.talking = 0
        self.lock = threading.Lock()
        self.taken = taken
        if self.options.get("tls"):
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(self.options["certificate"], self.options["key"])
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def reply(self, command, standard):
        replies = self.options.get("replies", {})
        if command not in replies:
            return standard
        with self.lock:
            given = replies[command]
            if isinstance(given, list):
                return given.pop(0) if given else standard
            return given

    def wait(self):
        """Up to options["delay"] seconds, before a mail is kept and after."""
        if delay := self.options.get("delay"):
            time.sleep(random.uniform(0, delay))

    def keep(self, mail):
        refusal = self.options.get("replies", {}).get(".")
        with self.lock:
            if not refusal:
                self.mails.append(mail)
        if self.taken:
            self.taken(mail)

    def handle_error(self, request, client_address):
        pass

    def close(self):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    # Nobody who sends a mail waits until it is read here.
    taken = queue.SimpleQueue()
    sink = Sink(json.loads(sys.argv[1]), taken.put)
    print(json.dumps({"port": sink.port}), flush=True)
    # Until whoever started it is gone.
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        print(json.dumps(taken.get()), flush=True)
