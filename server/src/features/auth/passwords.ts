/** Passwords are stored as argon2id in PHC string form, with the second setting that OWASP recommends (19 MiB, 2 passes). */
import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const MEMORY_KIBIBYTES = 19_456
const PASSES = 2
const PARALLELISM = 1
const derive = promisify(argon2)

export const PASSWORD_CHARACTERS = { min: 12, max: 200 }

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce,
    parallelism: PARALLELISM,
    tagLength: 32,
    memory: MEMORY_KIBIBYTES,
    passes: PASSES,
  })
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${MEMORY_KIBIBYTES},t=${PASSES},p=${PARALLELISM}$${encode(nonce)}$${encode(tag)}`
}
