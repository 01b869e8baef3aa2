/** An authenticator of WebAuthn in software: it makes passkeys and signs with them as a browser would. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encode } from 'cborg'

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Buffer | Uint8Array) => Buffer.from(bytes).toString('base64url')

export interface Behaviour {
  origin?: string
  rpId?: string
  /** Of the client's data: `webauthn.create`, `webauthn.get`. */
  type?: string
  /** The page was within a page of another site. */
  topOrigin?: string
  challenge?: string
  credentialId?: string
  userHandle?: string
  /** The next use counts from here. */
  counter?: number
  /** COSE's number of the algorithm of a new key. */
  algorithm?: number
  /** Whether the person touched it. */
  userPresent?: boolean
  /** Whether the person entered a PIN or showed a finger. */
  userVerified?: boolean
  /** Signs another text. */
  corrupt?: boolean
}

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 }

export class SoftwareAuthenticator {
  private readonly credentialId = randomBytes(32)
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject }
  private counter = 0
  private readonly origin: string
  private readonly rpId: string

  constructor(publicUrl: string) {
    this.origin = new URL(publicUrl).origin
    this.rpId = new URL(publicUrl).hostname
    this.keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** The answer of `navigator.credentials.create`, in JSON. */
  create({ challenge }: { challenge: string }, behaviour: Behaviour = {}) {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' })
    const { algorithm = -7 } = behaviour
    const publicKey = encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, algorithm],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    )
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.credentialId.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, publicKey])
    const authData = Buffer.concat([this.dataOf(behaviour, FLAGS.attested), attested])
    const attestation = { fmt: 'none', attStmt: {}, authData: new Uint8Array(authData) }
    return this.answer(behaviour, {
      clientDataJSON: this.clientData('webauthn.create', challenge, behaviour),
      attestationObject: base64url(encode(attestation)),
      transports: ['internal'],
    })
  }

  /** The answer of `navigator.credentials.get`, in JSON. */
  get({ challenge }: { challenge: string }, behaviour: Behaviour = {}) {
    const clientDataJSON = this.clientData('webauthn.get', challenge, behaviour)
    const authenticatorData = this.dataOf(behaviour, 0)
    const clientHash = sha256(Buffer.from(clientDataJSON, 'base64url'))
    const signed = Buffer.concat([authenticatorData, clientHash])
    const text = behaviour.corrupt === true ? Buffer.concat([signed, Buffer.alloc(1)]) : signed
    const signature = base64url(sign('sha256', text, this.keys.privateKey))
    return this.answer(behaviour, {
      clientDataJSON,
      authenticatorData: base64url(authenticatorData),
      signature,
      userHandle: behaviour.userHandle ?? null,
    })
  }

  get id(): string {
    return base64url(this.credentialId)
  }

  private answer<Response>({ credentialId: id = this.id }: Behaviour, response: Response) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  private clientData(type: string, challenge: string, behaviour: Behaviour): string {
    const { origin = this.origin, topOrigin } = behaviour
    const text = JSON.stringify({
      type: behaviour.type ?? type,
      challenge: behaviour.challenge ?? challenge,
      origin,
      crossOrigin: topOrigin !== undefined,
      topOrigin,
    })
    return base64url(Buffer.from(text))
  }

  private dataOf(behaviour: Behaviour, flags: number): Buffer {
    const { rpId = this.rpId, userPresent = true, userVerified = true } = behaviour
    const counter = Buffer.alloc(4)
    this.counter = behaviour.counter ?? this.counter + 1
    counter.writeUInt32BE(this.counter)
    const person = (userPresent ? FLAGS.present : 0) | (userVerified ? FLAGS.verified : 0)
    return Buffer.concat([sha256(rpId), Buffer.from([flags | person]), counter])
  }
}
