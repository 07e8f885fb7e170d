/**
 * A device with one passkey, in this process: a key of P-256 that answers as a browser does
 * (WebAuthn, sections 6.1 and 6.5). It says that its user has been verified.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Options = { readonly challenge: string }
type Passkey = {
  /** The answer of `navigator.credentials.create`. */
  create(options: Options): object
  /** The answer of `navigator.credentials.get`. */
  get(options: Options): object
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
const text = (bytes: Buffer) => bytes.toString('base64url')

/** CBOR (RFC 8949) of the few values that are here. */
function cbor(value: unknown): Buffer {
  const head = (type: number, length: number) => {
    const short = length < 24 ? [length] : length < 256 ? [24, length] : [25, length >> 8, length & 255]
    return Buffer.from([(type << 5) | (short[0] as number), ...short.slice(1)])
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  const entries = [...(value as ReadonlyMap<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)])
}

/** `origin`: of the page that uses it. */
export function makePasskey(origin: string): Passkey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  const place = sha256(new URL(origin).hostname)
  const present = 0x05 // the user is there, and was verified
  const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin }))
  const named = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} }
  const uncounted = Buffer.alloc(4)
  return {
    create({ challenge }) {
      const coordinates = [x, y].map((one) => Buffer.from(one, 'base64url'))
      const key = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, coordinates[0]],
          [-3, coordinates[1]],
        ]),
      )
      const length = Buffer.from([0, id.length])
      const authData = Buffer.concat([
        place,
        Buffer.from([present | 0x40]),
        uncounted,
        Buffer.alloc(16),
        length,
        id,
        key,
      ])
      const object = cbor(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      )
      const data = clientData('webauthn.create', challenge)
      return { ...named, response: { clientDataJSON: text(data), attestationObject: text(object), transports: [] } }
    },
    get({ challenge }) {
      const data = clientData('webauthn.get', challenge)
      const authenticatorData = Buffer.concat([place, Buffer.from([present]), uncounted])
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), privateKey)
      const response = {
        clientDataJSON: text(data),
        authenticatorData: text(authenticatorData),
        signature: text(signature),
      }
      return { ...named, response: { ...response, userHandle: null } }
    },
  }
}
