/** Keys and certificates that sign images, made by openssl, and what an image is with them. */
import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCertificateFacts } from '../src/formats/images/certificate-chain.ts'
import { examineImage } from '../src/formats/images/examine-image.ts'
import { createImageBytes } from '../src/formats/images/image-bytes.ts'
import { judgeImage, type TrustedKey } from '../src/formats/images/judge-image.ts'
import { describeKey, readKey } from '../src/formats/images/public-keys.ts'

export const LEAF = ['keyUsage=digitalSignature', 'extendedKeyUsage=emailProtection']
export const AUTHORITY = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign']

const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

export interface Trusted {
  /** Names of certificates that were issued here. */
  certificates?: readonly string[]
  keys?: readonly KeyObject[]
}

/** Files in a folder of its own, each as NAME.pem and NAME.key. */
export function givenAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-authority-'))
  const path = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  return {
    folder,
    path,
    remove: () => rmSync(folder, { recursive: true, force: true }),
    issue: (
      name: string,
      {
        by,
        extensions,
        key = P256,
        subject = name,
      }: {
        by?: string
        extensions: readonly string[]
        key?: readonly string[]
        /** Its common name. */
        subject?: string
      },
    ): void => {
      const issuer = by === undefined ? [] : ['-CA', path(`${by}.pem`), '-CAkey', path(`${by}.key`)]
      const named = ['-subj', `/O=Acme/CN=${subject}`, '-days', '30', '-nodes']
      const files = ['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`)]
      const added = extensions.flatMap((one) => ['-addext', one])
      openssl('req', '-x509', ...key, ...named, ...files, ...issuer, ...added)
    },
    /** A message of CMS in DER, without the content. */
    signCms: (content: string | Buffer, signer: string, ...options: string[]): Buffer => {
      writeFileSync(path('signed'), content)
      const of = ['-signer', path(`${signer}.pem`), '-inkey', path(`${signer}.key`)]
      const form = ['-outform', 'DER', '-nosmimecap', '-binary', ...options]
      openssl('cms', '-sign', '-in', path('signed'), '-out', path('signature'), ...of, ...form)
      return readFileSync(path('signature'))
    },
    /** An hour from now, as certificates begin with the second in which they are made. */
    judge: async (
      content: Uint8Array,
      { certificates = [], keys = [] }: Trusted,
      now = new Date(Date.now() + 3_600_000),
    ) => {
      const read = certificates.map((name) => readKey(readFileSync(path(`${name}.pem`), 'utf8')))
      const ders = read.flatMap((one) => (one.kind === 'Certificate' ? [one.certificate.raw] : []))
      const publicKeys = [...read.map(({ publicKey }) => publicKey), ...keys.map(describeKey)]
      const atHand = { publicKeys, certificates: ders }
      const facts = await examineImage(createImageBytes(content), atHand)
      const trusted = publicKeys.map(({ fingerprint }, index): TrustedKey => {
        const der = ders[index]
        const name = certificates[index] ?? 'a key'
        return {
          id: `${index}`,
          name,
          fingerprint,
          certificate: der && readCertificateFacts(der),
        }
      })
      return { ...judgeImage(facts, trusted, now), facts }
    },
  }
}
