import { NonEmpty } from '../primitives.ts'
import { list, literal, matching, record, type ValueOf, word } from '../shape.ts'

/** `harness`: signs witnesses and closes as they are made. `ci`: signs reruns. */
export const trustRoles = ['harness', 'ci'] as const

export type TrustRole = (typeof trustRoles)[number]

/** `.premath/trust.json`: the public keys whose signatures count. */
export const Trust = record({
  schema: literal(1),
  keys: list(
    record({
      keyId: matching('^[0-9a-f]{64}$'),
      role: word(trustRoles),
      publicKey: NonEmpty,
    }),
    { most: 1000 },
  ),
})

export type Trust = ValueOf<typeof Trust>
