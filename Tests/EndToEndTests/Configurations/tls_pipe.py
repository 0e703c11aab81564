"""Carries plain connections over TLS to a server on this machine, from the address that each came from.

    tls_pipe.py PORT SERVER_PORT CA_FILE NAME     listens on 127.0.0.1:PORT, and expects the certificate of NAME
"""

import select
import socket
import ssl
import sys
import threading


def carry(client, server):
    """Both ways on one thread: a TLS connection does not take two at once."""
    other = {client: server, server: client}
    while True:
        ready = [server] if server.pending() else select.select([client, server], [], [], 60)[0]
        if not ready:
            return
        for source in ready:
            source.settimeout(0)
            try:
                data = source.recv(65536)
            except (BlockingIOError, ssl.SSLWantReadError):
                continue
            if not data:
                return
            other[source].settimeout(30)
            other[source].sendall(data)


def serve(client, address, server_port, context, name):
    try:
        plain = socket.create_connection(("127.0.0.1", server_port), timeout=30, source_address=(address, 0))
        with client, context.wrap_socket(plain, server_hostname=name) as server:
            carry(client, server)
    except OSError as error:
        print(f"{address}: {error}", file=sys.stderr, flush=True)
        client.close()


def main():
    port, server_port, authority, name = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority)
    with socket.create_server(("127.0.0.1", int(port)), backlog=128) as listener:
        print("listening", flush=True)
        while True:
            client, (address, _) = listener.accept()
            words = (client, address, int(server_port), context, name)
            threading.Thread(target=serve, args=words, daemon=True).start()


main()
