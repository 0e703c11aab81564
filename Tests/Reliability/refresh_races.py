"""Refresh tokens that are exchanged at once on two servers and one PostgreSQL (see the scripts refresh_*)."""

from latchkey import Client, Deployment, require, together


class Race:
    """Two servers on one database, and clients that start at one moment, half on each."""

    def __init__(self, database, leeway, clients):
        self.database = database
        self.leeway = leeway
        self.count = clients

    def __enter__(self):
        self.deployment = Deployment(self.database.url).__enter__()
        client_id = self.deployment.make_client()
        self.deployment.admin("client", "set", "--tenant", "acme", "App", f"refresh_token.leeway={self.leeway}")
        ports = [self.deployment.start().port for _ in range(2)]
        self.clients = [Client(ports[index % 2], client_id) for index in range(self.count)]
        self.passkey, answer = self.clients[0].sign_up("one@acme.example")
        require(answer.status == 200, answer.body)
        # Servers make their connections when many ask at once; whoever asks meanwhile may be told to come again.
        for _ in range(4):
            together([lambda _, client=client: client.sign_in(self.passkey) for client in self.clients])
        self.alive_before = self.alive()
        return self

    def alive(self):
        """How many families can still be used."""
        return self.database.number("SELECT count(*) FROM refresh_family WHERE revoked_at IS NULL")

    def __exit__(self, *rest):
        self.deployment.__exit__(*rest)

    def new_token(self, client=0):
        """The first token of a new family."""
        answer = self.clients[client].sign_in(self.passkey)
        require(answer.status == 200, answer.body)
        return answer.json()["refresh_token"]

    def exchange(self, tokens):
        """Each client exchanges its token, all at once."""
        def one(client, token):
            def body(wait):
                wait()
                return client.refresh(token)
            return body

        return together([one(client, token) for client, token in zip(self.clients, tokens)])
