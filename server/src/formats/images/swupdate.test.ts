import { execFileSync } from 'node:child_process'
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  X509Certificate,
} from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate, SubjectPublicKeyInfo } from '@peculiar/asn1-x509'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORITY, givenAuthority, LEAF } from '../../../test/given-authority.ts'
import { nameUncoveredOfCms, refuseChangedBytes } from '../../../test/changed-bytes.ts'
import { canRun } from '../../../test/image-tools.ts'

const authority = givenAuthority()
const { folder, path, issue, judge, signCms } = authority
afterAll(authority.remove)

/** Skips one test without cpio: `apt-get install cpio`. */
const hasCpio = canRun('cpio')

const content = Buffer.from('the root file system '.repeat(100))
const sha256 = createHash('sha256').update(content).digest('hex')

const describeSoftware = (hash = `sha256 = "${sha256}";`) => `software =
{
  version = "2.4.1"; # as people call it
  /* boards */
  hardware-compatibility: [ "revB", "revC" ];
  gateway = {
    stable: { copy-1: { images: ( { filename = "rootfs.ext4"; device = "/dev/mmcblk0p2"; ${hash} } ); }; };
  };
}
`

function archive(members: readonly (readonly [string, Buffer])[], format = '070702'): Buffer {
  const entries = [...members, ['TRAILER!!!', Buffer.alloc(0)] as const].map(([name, bytes]) => {
    const sum = format === '070702' ? bytes.reduce((total, byte) => (total + byte) >>> 0, 0) : 0
    const numbers = [
      1,
      0o100_644,
      0,
      0,
      1,
      0,
      bytes.length,
      0,
      0,
      0,
      0,
      Buffer.byteLength(name) + 1,
      sum,
    ]
    const header = numbers.map((number) => number.toString(16).padStart(8, '0')).join('')
    return Buffer.concat([pad(Buffer.from(`${format}${header}${name}\0`)), pad(bytes)])
  })
  return Buffer.concat(entries)
}

const pad = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])

const makeSwu = (description: string, signature: Buffer, bytes = content) =>
  archive([
    ['sw-description', Buffer.from(description)],
    ['sw-description.sig', signature],
    ['rootfs.ext4', bytes],
  ])

beforeAll(() => {
  issue('self', { extensions: LEAF, key: ['-newkey', 'rsa:2048'] })
  issue('root', { extensions: AUTHORITY })
  issue('middle', { by: 'root', extensions: AUTHORITY })
  issue('signer', { by: 'middle', extensions: LEAF })
  issue('server', { by: 'root', extensions: ['extendedKeyUsage=serverAuth'] })
  issue('other', { extensions: AUTHORITY })
  const forServers = [...AUTHORITY, 'extendedKeyUsage=serverAuth']
  issue('servers', { by: 'root', extensions: forServers })
  issue('below', { by: 'servers', extensions: LEAF })
  let by = 'root'
  for (let depth = 1; depth <= 50; depth++) {
    issue(`link${depth}`, { by, extensions: depth === 50 ? LEAF : AUTHORITY })
    by = `link${depth}`
  }
})

describe('an update file of SWUpdate', () => {
  const description = describeSoftware()

  it.each`
    how                          | signer    | options
    ${'with attributes'}         | ${'self'} | ${[]}
    ${'without attributes'}      | ${'self'} | ${['-noattr']}
    ${'without its certificate'} | ${'self'} | ${['-nocerts']}
    ${'by subject key'}          | ${'self'} | ${['-keyid']}
    ${'with RSASSA-PSS'}         | ${'self'} | ${['-keyopt', 'rsa_padding_mode:pss']}
    ${'with SHA-512'}            | ${'self'} | ${['-md', 'sha512']}
  `(
    'signed by CMS $how is verified by that certificate',
    async ({ signer, options }: { signer: string; options: string[] }) => {
      const swu = makeSwu(description, signCms(description, signer, ...options))

      const verdict = await judge(swu, { certificates: [signer] })

      expect(verdict).toMatchObject({
        state: 'Verified',
        reason: 'Signed with the trusted key self.',
      })
      expect(verdict.facts.statement).toEqual({
        version: '2.4.1',
        compatible: null,
        hardware: ['revB', 'revC'],
        securityCounter: null,
      })
      expect(verdict.signatures[0]?.endsAt).not.toBeNull()
    },
  )

  it('signed below an authority is verified by the root, with the certificates of the file', async () => {
    const swu = makeSwu(
      description,
      signCms(description, 'signer', '-certfile', path('middle.pem')),
    )

    expect(await judge(swu, { certificates: ['root'] })).toMatchObject({ state: 'Verified' })
    expect(await judge(swu, { certificates: ['middle'] })).toMatchObject({ state: 'Verified' })
    expect(await judge(swu, { certificates: ['signer'] })).toMatchObject({ state: 'Verified' })
  })

  it.each`
    what                               | trusted    | certificates | signer      | days  | says
    ${'by another authority'}          | ${'other'} | ${'middle'}  | ${'signer'} | ${0}  | ${/No trusted certificate has issued/}
    ${'without one between'}           | ${'root'}  | ${'root'}    | ${'signer'} | ${0}  | ${/No trusted certificate has issued/}
    ${'after a certificate ended'}     | ${'root'}  | ${'middle'}  | ${'signer'} | ${60} | ${/ended on 20/}
    ${'before a certificate begins'}   | ${'root'}  | ${'middle'}  | ${'signer'} | ${-9} | ${/begins on 20/}
    ${'below an authority of servers'} | ${'root'}  | ${'servers'} | ${'below'}  | ${0}  | ${/No trusted certificate has issued/}
    ${'by a certificate of a server'}  | ${'root'}  | ${'middle'}  | ${'server'} | ${0}  | ${/is not for signing/}
  `(
    'signed $what is untrusted, and says why',
    async ({
      trusted,
      certificates,
      signer,
      days,
      says,
    }: {
      trusted: string
      certificates: string
      signer: string
      days: number
      says: RegExp
    }) => {
      const swu = makeSwu(
        description,
        signCms(description, signer, '-certfile', path(`${certificates}.pem`)),
      )

      const now = new Date(Date.now() + 3_600_000 + days * 86_400_000)
      const { state, reason } = await judge(swu, { certificates: [trusted] }, now)

      expect(state).toBe('Untrusted')
      expect(reason).toMatch(says)
    },
  )

  it('signed at the end of a chain of 50 certificates is untrusted, and says that 10 are followed', async () => {
    const links = Array.from({ length: 49 }, (_, index) =>
      readFileSync(path(`link${index + 1}.pem`), 'utf8'),
    )
    writeFileSync(path('links.pem'), links.join(''))
    const swu = makeSwu(description, signCms(description, 'link50', '-certfile', path('links.pem')))

    const { state, reason } = await judge(swu, { certificates: ['root'] })

    expect([state, reason]).toEqual(['Untrusted', 'The chain of certificates has more than 10.'])
    expect(await judge(swu, { certificates: ['link45'] })).toMatchObject({ state: 'Verified' })
  })

  it('with a certificate of an RSA key of 16,384 bits is broken, and the key is not used', async () => {
    writeFileSync(path('huge.pem'), withKey(readFileSync(path('self.pem'), 'utf8'), 16_384))
    const swu = makeSwu(description, signCms(description, 'self', '-certfile', path('huge.pem')))

    const { state, reason } = await judge(swu, { certificates: ['self'] })

    expect([state, reason]).toEqual([
      'Broken',
      'A certificate has an RSA key of 16384 bits; at most 8192 are checked.',
    ])
  })

  it.each`
    scheme                | padding
    ${'RSA PKCS #1 v1.5'} | ${{}}
    ${'RSASSA-PSS'}       | ${{ padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN }}
  `(
    'signed by $scheme is verified by the public key',
    async ({ scheme, padding }: { scheme: string; padding: object }) => {
      const key = createPrivateKey(readFileSync(path('self.key')))
      const swu = makeSwu(
        description,
        sign('sha256', Buffer.from(description), { key, ...padding }),
      )

      const { state, signatures } = await judge(swu, { certificates: ['self'] })

      expect([state, signatures[0]?.scheme]).toEqual(['Verified', scheme])
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      expect(await judge(swu, { keys: [publicKey] })).toMatchObject({ state: 'Untrusted' })
    },
  )

  it('with a description in JSON is verified', async () => {
    const json = JSON.stringify({
      software: { version: '1.0', images: [{ filename: 'rootfs.ext4', sha256 }] },
    })
    const swu = makeSwu(json, signCms(json, 'self'))

    expect(await judge(swu, { certificates: ['self'] })).toMatchObject({ state: 'Verified' })
  })

  it.skipIf(!hasCpio)('made by the cpio of this machine is verified', async () => {
    writeFileSync(path('sw-description'), description)
    writeFileSync(path('sw-description.sig'), signCms(description, 'self'))
    writeFileSync(path('rootfs.ext4'), content)
    const names = 'sw-description\nsw-description.sig\nrootfs.ext4\n'
    for (const format of ['newc', 'crc']) {
      const swu = execFileSync('cpio', ['-o', '-H', format], {
        cwd: folder,
        input: names,
        stdio: 'pipe',
      })

      expect(await judge(swu, { certificates: ['self'] })).toMatchObject({ state: 'Verified' })
    }
  })

  it.each`
    scheme                | sign
    ${'CMS'}              | ${() => signCms(description, 'signer', '-certfile', path('middle.pem'))}
    ${'RSA PKCS #1 v1.5'} | ${() => signRaw(description)}
    ${'RSASSA-PSS'}       | ${() => signRaw(description, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN })}
  `(
    'signed by $scheme is not verified with any one byte of what is signed changed',
    async ({ scheme, sign: signNow }: { scheme: string; sign: () => Buffer }) => {
      const signature = signNow()
      const bytes = makeSwu(description, signature)
      const places = [Buffer.from(description), content, signature].map((part) => {
        const start = bytes.indexOf(part)
        return { start, end: start + part.length }
      })
      const messageAt = places[2]?.start ?? 0

      await refuseChangedBytes({
        bytes,
        places,
        judge: (changed) => judge(changed, { certificates: ['root', 'self'] }),
        nameUncovered: (at) =>
          scheme === 'CMS' ? nameUncoveredOfCms(signature, at - messageAt) : '',
      })
    },
  )

  it('whose signature was taken away is not signed', async () => {
    const swu = archive([
      ['sw-description', Buffer.from(description)],
      ['rootfs.ext4', content],
    ])

    expect(await judge(swu, { certificates: ['self'] })).toMatchObject({ state: 'NotSigned' })
  })

  it('names members that no signature covers', async () => {
    const swu = archive([
      ['sw-description', Buffer.from(description)],
      ['sw-description.sig', signCms(description, 'self')],
      ['rootfs.ext4', content],
      ['extra.sh', Buffer.from('rm -rf /')],
    ])
    const padded = Buffer.concat([swu, Buffer.alloc(512)])
    const longer = Buffer.concat([padded, Buffer.from('another image')])

    const { state, facts } = await judge(swu, { certificates: ['self'] })
    const ofPadded = await judge(padded, { certificates: ['self'] })
    const ofLonger = await judge(longer, { certificates: ['self'] })

    expect(state).toBe('Verified')
    expect(facts.notes.join()).toContain('"extra.sh"')
    expect(ofPadded.facts.notes).toEqual(facts.notes)
    expect(ofLonger.state).toBe('Verified')
    expect(ofLonger.facts.notes.at(-1)).toBe(
      '13 bytes stand behind the end of the archive: no signature covers them.',
    )
  })

  it.each`
    what                                | make
    ${'a file without a hash'}          | ${() => givenSigned(describeSoftware(''))}
    ${'a file of another hash'}         | ${() => givenSigned(describeSoftware(`sha256 = "${'0'.repeat(64)}";`))}
    ${'a file that is not there'}       | ${() => archive([['sw-description', Buffer.from(describeSoftware())], ['sw-description.sig', signCms(describeSoftware(), 'self')]])}
    ${'two members of one name'}        | ${() => archive([['sw-description', Buffer.from(describeSoftware())], ['rootfs.ext4', content], ['rootfs.ext4', content]])}
    ${'its description at its end'}     | ${() => archive([['rootfs.ext4', content], ['sw-description', Buffer.from(describeSoftware())], ['sw-description.sig', signCms(describeSoftware(), 'self')]])}
    ${'a description cut off'}          | ${() => givenSigned(describeSoftware().slice(0, 120))}
    ${'a text that does not end'}       | ${() => givenSigned('software = { version = "1')}
    ${'groups nested 1,000 deep'}       | ${() => givenSigned(`software = ${'{ a = '.repeat(1_000)}`)}
    ${'another file included'}          | ${() => givenSigned('@include "other.cfg"')}
    ${'a description of 2 MiB'}         | ${() => givenSigned(`# ${'x'.repeat(2 * 1024 * 1024)}\n${describeSoftware()}`)}
    ${'a name of 4 GiB'}                | ${() => withField(givenSigned(describeSoftware()), 11, 0xffff_ffff)}
    ${'a size of 4 GiB'}                | ${() => withField(givenSigned(describeSoftware()), 6, 0xffff_ffff)}
    ${'a signature of CMS without one'} | ${() => makeSwu(describeSoftware(), Buffer.from('300f06092a864886f70d010702a0020500', 'hex'))}
  `('with $what is broken', async ({ make }: { make: () => Buffer }) => {
    const { state, reason } = await judge(make(), { certificates: ['self'] })

    expect(state).toBe('Broken')
    expect(reason).toMatch(/\.$/)
  })

  it('is never verified when it was cut off anywhere, and never fails the examiner', async () => {
    const swu = givenSigned(describeSoftware())
    const end = swu.indexOf(content) + content.length

    for (let length = 0; length < end; length += 7)
      expect((await judge(swu.subarray(0, length), { certificates: ['self'] })).state).not.toBe(
        'Verified',
      )
  })

  it('with a hostile description takes no longer than its length', async () => {
    const hostile = '# # # # # # # # # # # # # # # # # # # # # # # # # # # # # #\n'.repeat(1_000)

    expect(await judge(givenSigned(`${hostile}\u0001`), {})).toMatchObject({ state: 'Broken' })
  })
})

const signRaw = (description: string, padding: object = {}) =>
  sign('sha256', Buffer.from(description), {
    key: createPrivateKey(readFileSync(path('self.key'))),
    ...padding,
  })

/** The same certificate with an RSA key of so many bits, whose private part nobody has. */
function withKey(pem: string, bits: number): string {
  const certificate = AsnConvert.parse(new X509Certificate(pem).raw, Certificate)
  const n = Buffer.alloc(bits / 8, 0xf1).toString('base64url')
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  certificate.tbsCertificate.subjectPublicKeyInfo = AsnConvert.parse(
    key.export({ type: 'spki', format: 'der' }),
    SubjectPublicKeyInfo,
  )
  const der = Buffer.from(AsnConvert.serialize(certificate))
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function givenSigned(description: string): Buffer {
  return makeSwu(description, signCms(description, 'self'))
}

/** The first header. */
function withField(bytes: Buffer, index: number, value: number): Buffer {
  bytes.write(value.toString(16).padStart(8, '0'), 6 + 8 * index, 'latin1')
  return bytes
}
