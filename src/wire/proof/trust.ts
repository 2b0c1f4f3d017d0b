import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  list,
  literal,
  matching,
  optional,
  record,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

/** `harness`: signs witnesses and closes as they are made. `ci`: signs reruns. */
export const trustRoles = ['harness', 'ci'] as const

export type TrustRole = (typeof trustRoles)[number]

/** `.premath/trust.json`, or the file that `--trust` names. */
export const Trust = artifact(
  'premath.trust.v1',
  'The public keys whose signatures count.',
  record({
    schema: literal(1),
    keys: list(
      record({
        keyId: about(matching('^[0-9a-f]{64}$'), 'SHA-256 of the public key in DER.'),
        role: about(
          word(trustRoles),
          'A key of role harness signs witnesses and closes, one of role ci signs reruns.',
        ),
        publicKey: about(NonEmpty, 'An Ed25519 key in PEM.'),
        addedBy: optional(
          record({ actor: word(['terminal', 'script']), uid: whole }),
          'How its addition was confirmed, and the real user id of the process.',
        ),
      }),
      { most: 1000 },
    ),
  }),
)

export type Trust = ValueOf<typeof Trust>
