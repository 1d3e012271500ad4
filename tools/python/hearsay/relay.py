"""Stands where hearsay expects a program, and hands its channel on: `python3 relay.py SOCKET`.

hearsay.simulate starts it for every peer, and answers over all channels itself. It knows nothing but the
standard library, so that it starts quickly, and it ends when simulate closes the connection.
"""

import os
import socket
import sys


def main() -> None:
    channel = int(os.environ["HEARSAY_CHANNEL"])
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(sys.argv[1])
        socket.send_fds(server, [os.environ["HEARSAY_ID"].encode()], [channel])
        os.close(channel)
        server.recv(1)


if __name__ == "__main__":
    main()
