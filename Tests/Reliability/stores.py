"""The stores that a deployment can be given, each new and empty."""

import contextlib
import subprocess

from latchkey import Deployment
from postgres import Postgres
from redis_server import Redis


@contextlib.contextmanager
def on_memory():
    """SQLite, and challenges in the memory of the one server."""
    with Deployment(None) as deployment:
        yield deployment


@contextlib.contextmanager
def on_sqlite():
    """SQLite, challenges in it too."""
    with Deployment(None, LATCHKEY_CHALLENGES="store") as deployment:
        yield deployment


@contextlib.contextmanager
def on_postgres():
    """PostgreSQL, challenges in it too."""
    with Postgres() as database, Deployment(database.url, LATCHKEY_CHALLENGES="store") as deployment:
        deployment.database = database
        yield deployment


@contextlib.contextmanager
def on_postgres_and_redis():
    """PostgreSQL, and challenges in Redis."""
    with Postgres() as database, Redis() as redis:
        with Deployment(database.url, LATCHKEY_CHALLENGES=redis.url) as deployment:
            deployment.database, deployment.redis = database, redis
            yield deployment


def ask(deployment, query):
    """Runs SQL in the deployment's store; its lines, columns separated by `|`."""
    database = getattr(deployment, "database", None)
    if database is not None:
        return database.sql(query).splitlines()
    return subprocess.run(
        ["/usr/bin/sqlite3", deployment.store.removeprefix("sqlite:"), query], capture_output=True, text=True,
        check=True,
    ).stdout.splitlines()


def orphans(deployment):
    """Rows that are there by half: users without a passkey, identifiers and passkeys without a user."""
    return int(ask(
        deployment,
        "SELECT (SELECT count(*) FROM user_account u WHERE NOT EXISTS (SELECT 1 FROM passkey p"
        " WHERE p.tenant_id = u.tenant_id AND p.user_id = u.id))"
        " + (SELECT count(*) FROM user_account u WHERE NOT EXISTS (SELECT 1 FROM identifier i"
        " WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id))"
        " + (SELECT count(*) FROM identifier i WHERE NOT EXISTS (SELECT 1 FROM user_account u"
        " WHERE u.tenant_id = i.tenant_id AND u.id = i.user_id))"
        " + (SELECT count(*) FROM passkey p WHERE NOT EXISTS (SELECT 1 FROM user_account u"
        " WHERE u.tenant_id = p.tenant_id AND u.id = p.user_id))",
    )[0])
