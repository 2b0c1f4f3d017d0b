"""Verifies statements that premath signed with the libraries of in-toto: the output of `premath
witness export --attest`, or the signatures beside a proof (`.premath/proofs/<issue>/signed-*.jsonl`).

usage: verify_attestation.py <file> <public key>

Needs: pip install in-toto-attestation securesystemslib cryptography
(0.9.3, 1.6.0 and 50.0.2 were used)

Each line of the file must be a DSSE envelope that the key signed, with a valid in-toto Statement v1 of
a known predicate. Prints one JSON object a line: the type of the predicate and the subjects.
"""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.predicates.vsa.v1 import vsa_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"

PREDICATES = {
    "https://in-toto.io/attestation/test-result/v0.1": test_result_pb2.TestResult,
    "https://slsa.dev/verification_summary/v1": vsa_pb2.VerificationSummary,
}

# Predicates of premath itself, with the members that each must have.
OWN_PREDICATES = {
    "premath:signed-link/v1": ("link", "sandbox"),
    "premath:signed-rerun/v1": ("issueId", "result", "sandbox", "commands"),
}


def verified(line, key_text):
    document = json.loads(line)
    # The id of a key is a hint, and premath has its own kind.
    key_id = document["signatures"][0]["keyid"]
    key = SSlibKey.from_crypto(load_pem_public_key(key_text), keyid=key_id)
    envelope = Envelope.from_dict(document)
    envelope.verify([key], 1)
    if envelope.payload_type != PAYLOAD_TYPE:
        raise ValueError(f"the payload is of type {envelope.payload_type}")
    statement = json_format.Parse(envelope.payload, statement_pb2.Statement())
    Statement.copy_from_pb(statement).validate()
    members = json_format.MessageToDict(statement.predicate)
    # SLSA defines a list, and the library has a text.
    if "verifiedLevels" in members:
        members["verifiedLevels"] = ",".join(members["verifiedLevels"])
    own = OWN_PREDICATES.get(statement.predicate_type)
    if own is None:
        json_format.ParseDict(members, PREDICATES[statement.predicate_type]())
    elif any(name not in members for name in own):
        raise ValueError(f"the predicate lacks one of {', '.join(own)}")
    return {
        "predicateType": statement.predicate_type,
        "subject": [dict(one.digest) for one in statement.subject],
    }


def main():
    path, key_path = sys.argv[1:]
    with open(key_path, "rb") as file:
        key_text = file.read()
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.strip()]
    if not lines:
        raise ValueError("the file has no envelope")
    for line in lines:
        print(json.dumps(verified(line, key_text)))


if __name__ == "__main__":
    main()
