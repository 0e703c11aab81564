"""Makes CryptographyTests/Vectors/mldsa.json: keys and signatures of ML-DSA (FIPS 204), right and wrong.

    python3 mldsa_vectors.py >../CryptographyTests/Vectors/mldsa.json

Keys and right signatures come from PyPI's cryptography (50.0.0 when the file was made). Wrong signatures that differ from
right ones in one rule alone come from the small signer below, which can leave that rule out. Every verdict is
cryptography's own.
"""

import hashlib
import json
import sys

import cryptography
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import mldsa

Q, D, N = 8380417, 13, 256
SETS = {
    "ML-DSA-44": dict(k=4, l=4, eta=2, tau=39, lam=128, g1=1 << 17, g2=(Q - 1) // 88, omega=80),
    "ML-DSA-65": dict(k=6, l=5, eta=4, tau=49, lam=192, g1=1 << 19, g2=(Q - 1) // 32, omega=55),
    "ML-DSA-87": dict(k=8, l=7, eta=2, tau=60, lam=256, g1=1 << 19, g2=(Q - 1) // 32, omega=75),
}
PRIVATE = {
    "ML-DSA-44": mldsa.MLDSA44PrivateKey, "ML-DSA-65": mldsa.MLDSA65PrivateKey, "ML-DSA-87": mldsa.MLDSA87PrivateKey,
}
ZETAS = [pow(1753, int(f"{i:08b}"[::-1], 2), Q) for i in range(N)]


def ntt(a):
    a, m, length = list(a), 0, 128
    while length:
        for start in range(0, N, 2 * length):
            m += 1
            for j in range(start, start + length):
                t = ZETAS[m] * a[j + length] % Q
                a[j + length], a[j] = (a[j] - t) % Q, (a[j] + t) % Q
        length //= 2
    return a


def intt(a):
    a, m, length = list(a), N, 1
    while length < N:
        for start in range(0, N, 2 * length):
            m -= 1
            for j in range(start, start + length):
                t = a[j]
                a[j], a[j + length] = (t + a[j + length]) % Q, -ZETAS[m] * (t - a[j + length]) % Q
        length *= 2
    return [x * 8347681 % Q for x in a]


def times(a, b):
    return [x * y % Q for x, y in zip(a, b)]


def plus(*polynomials):
    return [sum(c) % Q for c in zip(*polynomials)]


def centred(x, m=Q):
    x %= m
    return x - m if x > m // 2 else x


def norm(polynomials):
    return max(abs(centred(x)) for p in polynomials for x in p)


def shake(bits, data, count):
    return (hashlib.shake_128 if bits == 128 else hashlib.shake_256)(data).digest(count)


def pack(numbers, width):
    value = sum(n << (width * i) for i, n in enumerate(numbers))
    return value.to_bytes(len(numbers) * width // 8, "little")


def unpack(data, width):
    value = int.from_bytes(data, "little")
    return [value >> (width * i) & ((1 << width) - 1) for i in range(N)]


def matrix(rho, p):
    def entry(r, s):
        out, found = shake(128, rho + bytes([s, r]), 3000), []
        for i in range(0, 3000, 3):
            z = out[i] | out[i + 1] << 8 | (out[i + 2] & 127) << 16
            if z < Q and len(found) < N:
                found.append(z)
        return found
    return [[entry(r, s) for s in range(p["l"])] for r in range(p["k"])]


def short(seed, number, eta):
    found = []
    for byte in shake(256, seed + bytes([number, 0]), 2000):
        for half in (byte & 15, byte >> 4):
            if eta == 2 and half < 15:
                found.append(2 - half % 5)
            elif eta == 4 and half < 9:
                found.append(4 - half)
    return found[:N]


def ball(seed, tau):
    out, c = shake(256, seed, 2000), [0] * N
    signs, at = int.from_bytes(out[:8], "little"), 8
    for i in range(N - tau, N):
        while out[at] > i:
            at += 1
        c[i], c[out[at]], at = c[out[at]], -1 if signs >> (i + tau - N) & 1 else 1, at + 1
    return c


def decompose(r, g2):
    r %= Q
    r0 = centred(r, 2 * g2)
    return (0, r0 - 1) if r - r0 == Q - 1 else ((r - r0) // (2 * g2), r0)


class Key:
    def __init__(self, seed, p):
        self.p = p
        expanded = shake(256, seed + bytes([p["k"], p["l"]]), 128)
        self.rho, secret, self.K = expanded[:32], expanded[32:96], expanded[96:]
        self.s1 = [ntt(short(secret, i, p["eta"])) for i in range(p["l"])]
        self.s2 = [short(secret, p["l"] + i, p["eta"]) for i in range(p["k"])]
        self.A = matrix(self.rho, p)
        t = [plus(intt(plus(*map(times, row, self.s1))), s) for row, s in zip(self.A, self.s2)]
        low = [[centred(x, 1 << D) if centred(x, 1 << D) != -(1 << D - 1) else 1 << D - 1 for x in r] for r in t]
        self.t0, self.s2 = [ntt(r) for r in low], [ntt(s) for s in self.s2]
        self.public = self.rho + b"".join(
            pack([(x - y) >> D for x, y in zip(a, b)], 10) for a, b in zip(t, low)
        )

    def sign(self, message, breaking=None):
        """A signature, deterministic; `breaking` names the one rule that it must break."""
        p = self.p
        beta, width = p["tau"] * p["eta"], 18 if p["g1"] == 1 << 17 else 20
        mu = shake(256, shake(256, self.public, 64) + bytes(2) + message, 64)
        masks = shake(256, self.K + bytes(32) + mu, 64)
        for kappa in range(0, 6000, p["l"]):
            y = [[p["g1"] - v for v in unpack(shake(256, masks + (kappa + i).to_bytes(2, "little"), 32 * width), width)]
                 for i in range(p["l"])]
            w = [intt(plus(*map(times, row, [ntt(v) for v in y]))) for row in self.A]
            w1 = b"".join(pack([decompose(x, p["g2"])[0] for x in r], 6 if p["k"] == 4 else 4) for r in w)
            c = shake(256, mu + w1, p["lam"] // 4)
            challenge = ntt(ball(c, p["tau"]))
            z = [plus(v, intt(times(challenge, s))) for v, s in zip(y, self.s1)]
            ws = [plus(v, [-x for x in intt(times(challenge, s))]) for v, s in zip(w, self.s2)]
            if max(abs(decompose(x, p["g2"])[1]) for r in ws for x in r) >= p["g2"] - beta:
                continue
            ct0 = [intt(times(challenge, s)) for s in self.t0]
            places = [[i for i in range(N) if decompose(a[i] + b[i], p["g2"])[0] != decompose(a[i], p["g2"])[0]]
                      for a, b in zip(ws, ct0)]
            count = sum(map(len, places))
            encodable = all(-p["g1"] < centred(x) <= p["g1"] for r in z for x in r)
            if norm(ct0) >= p["g2"] or not encodable or count > p["omega"]:
                continue
            if (norm(z) < p["g1"] - beta) == (breaking == "z"):
                continue
            if breaking and breaking != "z" and (count == p["omega"] or all(len(r) < 2 for r in places)):
                continue
            hints = bytearray(sum(places, []) + [0] * (p["omega"] - count))
            ends = [sum(map(len, places[:i + 1])) for i in range(p["k"])]
            row = next((i for i, r in enumerate(places) if len(r) > 1), 0)
            start = ends[row] - len(places[row])
            if breaking == "order":
                hints[start], hints[start + 1] = hints[start + 1], hints[start]
            elif breaking == "twice":
                # The same set of places, one of them said twice.
                hints = bytearray(hints[:start + 1] + hints[start:-1])
                ends = [e + (i >= row) for i, e in enumerate(ends)]
            elif breaking == "padding":
                hints[-1] = 1
            elif breaking == "end":
                # The last row's end reaches past what there is.
                ends[-1] = p["omega"] + 1
            elif breaking == "ends":
                ends[0], ends[1] = ends[1] + 1, ends[0]
            return c + b"".join(pack([p["g1"] - centred(x) for x in r], width) for r in z) + bytes(hints) + bytes(ends)


def main():
    cases = []
    for name, p in SETS.items():
        def add(what, key, message, signature, expected):
            try:
                key.public_key().verify(signature, message)
                verdict = True
            except (InvalidSignature, ValueError):
                verdict = False
            assert verdict == expected, (name, what)
            cases.append({
                "set": name, "what": what, "seed": key.private_bytes_raw().hex(),
                "publicKey": key.public_key().public_bytes_raw().hex(),
                "message": message.hex(), "signature": signature.hex(), "valid": verdict,
            })

        seeds = [hashlib.sha256(f"{name} {i}".encode()).digest() for i in range(6)]
        keys = [PRIVATE[name].from_seed_bytes(s) for s in seeds]
        for i, key in enumerate(keys):
            message = hashlib.shake_128(seeds[i]).digest([0, 1, 37, 69, 500, 4096][i])
            add(f"right, message of {len(message)} bytes", key, message, key.sign(message), True)
        key, own, message = keys[0], Key(seeds[0], p), b"a message"
        assert own.public == key.public_key().public_bytes_raw()
        right = own.sign(message)
        add("right, deterministic", key, message, right, True)
        for rule, what in [
            ("z", "a coefficient of z out of range, all else right"),
            ("order", "two hints of one row in the wrong order"), ("twice", "one hint said twice"),
            ("padding", "a byte behind the last hint that is not zero"), ("end", "hints that end behind their room"),
            ("ends", "a row of hints that ends before the one above it"),
        ]:
            add(what, key, message, own.sign(message, rule), False)
        add("another message", key, message + b"!", right, False)
        add("another key", keys[1], message, right, False)
        add("a context that is not empty", key, message, key.sign(message, b"context"), False)
        for what, changed in [
            ("cut by one byte", right[:-1]), ("one byte more", right + b"\0"), ("empty", b""),
            ("all zeros", bytes(len(right))), ("all ones", b"\xff" * len(right)),
            ("the commitment changed", bytes([right[0] ^ 1]) + right[1:]),
            ("z changed", right[:p["lam"] // 4 + 5] + bytes([right[p["lam"] // 4 + 5] ^ 1]) + right[p["lam"] // 4 + 6:]),
            ("no hints", right[:-(p["omega"] + p["k"])] + bytes(p["omega"] + p["k"])),
        ]:
            add(what, key, message, changed, False)
    rows = ",\n".join("    " + json.dumps(c) for c in cases)
    key = PRIVATE["ML-DSA-44"].from_seed_bytes(bytes(32))
    info = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).hex()
    spki = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    ).hex()
    sys.stdout.write(
        '{\n  "source": "mldsa_vectors.py, cryptography ' + cryptography.__version__ + '",\n  "licence": "CC0-1.0",\n'
        f'  "zeroSeedPKCS8": "{info}",\n  "zeroSeedSubjectPublicKeyInfo": "{spki}",\n  "cases": [\n{rows}\n  ]\n}}\n'
    )


main()
