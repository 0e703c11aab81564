"""A mail server that greets and takes no mail. Writes its port to the file that it is given, and what it hears to stdout."""

import os
import socket
import sys

listener = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(listener.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
ANSWERS = {"EHLO": "250 greeter", "HELO": "250 greeter", "NOOP": "250 OK", "QUIT": "221 bye"}
while True:
    connection, _ = listener.accept()
    with connection, connection.makefile("rw", newline="\r\n") as stream:
        stream.write("220 greeter\r\n")
        stream.flush()
        for line in stream:
            print(line.strip(), flush=True)
            word = line.split()[0].upper() if line.split() else ""
            stream.write(ANSWERS.get(word, "502 not here") + "\r\n")
            stream.flush()
            if word == "QUIT":
                break
