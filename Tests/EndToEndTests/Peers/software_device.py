"""A CTAP2 authenticator in software, on python-fido2's own device class. It can be told to misbehave."""

import hashlib
import os
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.ctap import CtapDevice, CtapError
from fido2.hid import CAPABILITY, CTAPHID

AAGUID = bytes.fromhex("f8a011f38c0a4d15800617111f9edc7d")
UP, UV, BE, BS, AT = 1, 4, 8, 16, 64


class Credential:
    def __init__(self, rp_id, user):
        self.id = os.urandom(32)
        self.rp_id = rp_id
        self.user = user
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.counter = 0


class SoftwareDevice(CtapDevice):
    def __init__(self):
        self.credentials = []
        # What it does wrong: the RP ID that it hashes, the counter that it claims, the id that it gives.
        self.rp_id_instead = None
        self.counter_instead = None
        self.id_instead = None

    @property
    def capabilities(self):
        return CAPABILITY.CBOR

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        if cmd != CTAPHID.CBOR:
            raise CtapError(CtapError.ERR.INVALID_COMMAND)
        commands = {1: self.make_credential, 2: self.get_assertion, 4: self.get_info, 11: lambda _: {}}
        command = commands.get(data[0])
        if command is None:
            return bytes([CtapError.ERR.INVALID_COMMAND])
        try:
            answer = command(cbor.decode(data[1:]) if len(data) > 1 else {})
        except CtapError as error:
            return bytes([error.code])
        return b"\0" + (cbor.encode(answer) if answer else b"")

    def get_info(self, _):
        return {1: ["FIDO_2_0", "FIDO_2_1"], 3: AAGUID, 4: {"rk": True, "up": True, "uv": True}, 6: [2]}

    def make_credential(self, request):
        rp_id = request[2]["id"]
        if not any(parameter["alg"] == -7 for parameter in request[4]):
            raise CtapError(CtapError.ERR.UNSUPPORTED_ALGORITHM)
        excluded = {bytes(descriptor["id"]) for descriptor in request.get(5, [])}
        if any(known.rp_id == rp_id and known.id in excluded for known in self.credentials):
            raise CtapError(CtapError.ERR.CREDENTIAL_EXCLUDED)
        credential = Credential(rp_id, request[3])
        self.credentials.append(credential)
        public_key = ES256.from_cryptography_key(credential.key.public_key())
        attested = AAGUID + struct.pack(">H", len(credential.id)) + credential.id + cbor.encode(public_key)
        flags = UP | AT | self.verified(request.get(7))
        return {1: "none", 2: self.authenticator_data(credential, flags) + attested, 3: {}}

    def get_assertion(self, request):
        allowed = [bytes(descriptor["id"]) for descriptor in request.get(3, [])]
        options = request.get(5) or {}
        fitting = [
            known for known in self.credentials
            if known.rp_id == request[1] and (known.id in allowed if allowed else True)
        ]
        if not fitting:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        credential = fitting[-1]
        flags = self.verified(options)
        if options.get("up", True):
            flags |= UP
            credential.counter += 1
        data = self.authenticator_data(credential, flags)
        signature = credential.key.sign(data + request[2], ec.ECDSA(hashes.SHA256()))
        return {
            1: {"type": "public-key", "id": self.id_instead or credential.id},
            2: data,
            3: signature,
            4: {"id": credential.user["id"]},
        }

    def verified(self, options):
        return UV if (options or {}).get("uv") else 0

    def authenticator_data(self, credential, flags):
        rp_id = self.rp_id_instead or credential.rp_id
        counter = credential.counter if self.counter_instead is None else self.counter_instead
        return hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + struct.pack(">I", counter)

    @classmethod
    def list_devices(cls):
        return iter([])
