"""PyPI's cryptography against the signatures of this project: signatures.py THEIRS OURS

THEIRS holds a JSON list of signatures to verify; to OURS go as many of the same algorithms, by keys made here.
"""

import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, mldsa, padding, rsa

HASHES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}


def arguments(algorithm):
    """What verify and sign want beside signature and message."""
    if algorithm.startswith("es"):
        return [ec.ECDSA(hashes.SHA256() if algorithm == "es256k" else HASHES[algorithm[2:]])]
    if algorithm.startswith("rs"):
        return [padding.PKCS1v15(), HASHES[algorithm[2:]]]
    if algorithm.startswith("ps"):
        digest = HASHES[algorithm[2:]]
        return [padding.PSS(padding.MGF1(digest), digest.digest_size), digest]
    return []


def new_key(algorithm):
    curves = {"es256": ec.SECP256R1, "es384": ec.SECP384R1, "es512": ec.SECP521R1, "es256k": ec.SECP256K1}
    if algorithm in curves:
        return ec.generate_private_key(curves[algorithm]())
    if algorithm[:2] in ("rs", "ps"):
        return rsa.generate_private_key(65537, 2048)
    return {
        "ed25519": ed25519.Ed25519PrivateKey, "ed448": ed448.Ed448PrivateKey, "ml-dsa-44": mldsa.MLDSA44PrivateKey,
        "ml-dsa-65": mldsa.MLDSA65PrivateKey, "ml-dsa-87": mldsa.MLDSA87PrivateKey,
    }[algorithm].generate()


with open(sys.argv[1], encoding="utf-8") as file:
    theirs = json.load(file)
ours = []
for case in theirs:
    algorithm, message = case["algorithm"], bytes.fromhex(case["message"])
    key = serialization.load_der_public_key(bytes.fromhex(case["spki"]))
    signature = bytes.fromhex(case["signature"])
    key.verify(signature, message, *arguments(algorithm))
    try:
        key.verify(signature, message + b"!", *arguments(algorithm))
        raise SystemExit(f"{algorithm}: a signature that is valid over anything")
    except InvalidSignature:
        pass
    own = new_key(algorithm)
    ours.append({
        "algorithm": algorithm, "message": message.hex(), "signature": own.sign(message, *arguments(algorithm)).hex(),
        "spki": own.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        ).hex(),
        "pkcs8": own.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).hex(),
    })
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(ours, file)
print(f"ok {len(theirs)} signatures each way")
