"""Makes CryptographyTests/Vectors/passwords.json: password hashes that other implementations made.

    python3 password_vectors.py >../CryptographyTests/Vectors/passwords.json

Argon2 comes from PyPI's argon2-cffi, bcrypt from PyPI's bcrypt (both 2025), PBKDF2 from Python's hashlib, scrypt from
PyPI's cryptography.
"""

import hashlib
import json
import sys

import bcrypt
from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

PASSWORDS = ["", "a", "correct horse battery staple", "pa\u0308ssw\u00f6rd \u6f22\u5b57 \U0001f511", "x" * 100]
SALT = bytes(range(16))

cases = {"argon2": [], "bcrypt": [], "pbkdf2": [], "scrypt": []}
for password in PASSWORDS:
    secret = password.encode()
    for variant in ("argon2d", "argon2i", "argon2id"):
        for version in (16, 19):
            for memory, passes, lanes, count in ((64, 1, 1, 32), (256, 3, 4, 64), (4096, 2, 8, 16)):
                tag = hash_secret_raw(
                    secret, SALT, passes, memory, lanes, count, Type[variant[6:].upper()], version
                )
                cases["argon2"].append(dict(variant=variant, version=version, memory=memory, passes=passes, lanes=lanes,
                                            password=secret.hex(), salt=SALT.hex(), hash=tag.hex()))
    for prefix in (b"2a", b"2b"):
        for cost in (4, 6):
            text = bcrypt.hashpw(secret[:72], bcrypt.gensalt(cost, prefix)).decode()
            cases["bcrypt"].append(dict(password=secret.hex(), text=text))
            if prefix == b"2b":
                cases["bcrypt"].append(dict(password=secret.hex(), text=text.replace("$2b$", "$2y$")))
    for name in ("sha1", "sha256", "sha384", "sha512"):
        for rounds, count in ((1, 20), (1000, 64)):
            cases["pbkdf2"].append(dict(hash=name, rounds=rounds, password=secret.hex(), salt=SALT.hex(),
                                        derived=hashlib.pbkdf2_hmac(name, secret, SALT, rounds, count).hex()))
    for cost, block, parallel, count in ((2, 1, 1, 16), (1024, 8, 1, 64), (256, 4, 8, 32)):
        cases["scrypt"].append(dict(cost=cost, blockSize=block, parallelization=parallel, password=secret.hex(),
                                    salt=SALT.hex(), derived=Scrypt(SALT, count, cost, block, parallel).derive(secret).hex()))

json.dump(dict(source="password_vectors.py", **cases), sys.stdout, indent=1)
print()
