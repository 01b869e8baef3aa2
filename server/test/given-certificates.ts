/** Authorities and certificates of devices, made by the real openssl in a folder of their own. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAtEndOfFile } from './end-of-file.ts'

export interface MadeCertificate {
  /** Paths of PEM files. */
  certificate: string
  key: string
  pem: string
}

export interface CertificateOptions {
  /** Lines of openssl's extensions. */
  extensions?: string
  days?: number
  /** Arguments of `openssl req` that make the key. */
  key?: readonly string[]
  /** Arguments of `openssl x509`. */
  sign?: readonly string[]
}

export interface TestAuthority extends MadeCertificate {
  issue: (commonName: string, options?: CertificateOptions) => MadeCertificate
  /** A list of what was revoked, which ends after these seconds. */
  revokeAll: (certificates: readonly MadeCertificate[], options?: { seconds?: number }) => string
  serialOf: (certificate: MadeCertificate) => string
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
const DEVICE = 'keyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n'
let count = 0

export function openssl(folder: string, ...args: string[]): string {
  return execFileSync('openssl', args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' })
}

export function givenAuthority(name = 'Factory', from?: TestAuthority): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-authority-'))
  closeAtEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  const at = (file: string) => join(folder, file)
  const made = (file: string): MadeCertificate => ({
    certificate: at(`${file}.pem`),
    key: at(`${file}.key`),
    pem: readFileSync(at(`${file}.pem`), 'utf8'),
  })
  const ca = makeAuthority()

  function makeAuthority(): MadeCertificate {
    const usage = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n'
    if (from) {
      const { certificate, key } = from.issue(name, { extensions: usage })
      writeFileSync(at('ca.pem'), readFileSync(certificate))
      writeFileSync(at('ca.key'), readFileSync(key))
      return made('ca')
    }
    const say = usage
      .trim()
      .split('\n')
      .flatMap((line) => ['-addext', line])
    const into = ['-subj', `/CN=${name}`, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30']
    openssl(folder, 'req', '-x509', ...EC, '-nodes', ...into, ...say)
    return made('ca')
  }

  return {
    ...ca,
    issue: (commonName, { extensions = DEVICE, days = 10, key = EC, sign = [] } = {}) => {
      count += 1
      const file = `c${count}`
      writeFileSync(at(`${file}.ext`), extensions)
      const request = ['-nodes', '-subj', `/CN=${commonName}`, '-keyout', `${file}.key`]
      openssl(folder, 'req', ...key, ...request, '-out', `${file}.csr`)
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', String(days)]
      const into = ['-in', `${file}.csr`, '-extfile', `${file}.ext`, '-out', `${file}.pem`]
      openssl(folder, 'x509', '-req', ...by, ...into, ...sign)
      return made(file)
    },
    revokeAll: (certificates, { seconds = 3_600 } = {}) => {
      writeFileSync(at('index.txt'), '')
      count += 1
      writeFileSync(at('crlnumber'), count.toString(16).padStart(4, '0'))
      writeFileSync(
        at('ca.cnf'),
        '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\ncrlnumber=crlnumber\ndefault_md=sha256\ncertificate=ca.pem\nprivate_key=ca.key\n',
      )
      for (const { certificate } of certificates)
        openssl(folder, 'ca', '-config', 'ca.cnf', '-revoke', certificate)
      const until = ['-crlsec', String(seconds), '-out', 'list.pem']
      openssl(folder, 'ca', '-config', 'ca.cnf', '-gencrl', ...until)
      return readFileSync(at('list.pem'), 'utf8')
    },
    serialOf: ({ certificate }) =>
      openssl(folder, 'x509', '-in', certificate, '-noout', '-serial').trim().split('=')[1] ?? '',
  }
}

/** A certificate of a server at localhost, with its key. */
export function givenServerCertificate(authority: TestAuthority): {
  certificate: string
  key: string
} {
  const extensions = 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n'
  const { pem, key } = authority.issue('localhost', { extensions })
  return { certificate: pem, key: readFileSync(key, 'utf8') }
}
