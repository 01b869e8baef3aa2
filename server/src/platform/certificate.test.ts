import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  connect,
  type ConnectionOptions,
  createServer,
  type Server,
  type TLSSocket,
} from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { createTlsOptions, watchCertificate } from './certificate.ts'
import { createLog } from './log.ts'

const fixture = (name: string) => new URL(`http-client/fixtures/${name}`, import.meta.url)
const read = (path: string | URL) => readFileSync(path, 'utf8').trimEnd()

function givenFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  copyFileSync(fixture('localhost.pem'), files.certificate)
  copyFileSync(fixture('localhost.key'), files.key)
  return files
}

async function givenListener(files: ReturnType<typeof givenFiles>) {
  const identity = { certificate: read(files.certificate), key: read(files.key), files }
  const options = createTlsOptions(identity)
  const server = createServer(options, (socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const watch = watchCertificate(identity, server, createLog('silent'))
  onTestFinished(async () => {
    await watch?.stop()
    server.close()
  })
  return { server, look: () => watch?.runNow() }
}

function renew({ certificate, key }: ReturnType<typeof givenFiles>): void {
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const into = ['-subj', '/CN=renewed', '-keyout', key, '-out', certificate]
  execFileSync('openssl', [...request, ...into], { stdio: 'pipe' })
}

async function connectTo(server: Server, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

async function nameShownBy(server: Server): Promise<unknown> {
  const socket = await connectTo(server)
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return CN
}

it('shows a renewed certificate to those who connect from then on', async () => {
  const files = givenFiles()
  const { server, look } = await givenListener(files)
  const before = await nameShownBy(server)
  renew(files)

  look()

  expect(before).toBe('localhost')
  await expect.poll(() => nameShownBy(server)).toBe('renewed')
})

it('keeps the certificate while its files do not fit', async () => {
  const files = givenFiles()
  const { server, look } = await givenListener(files)
  writeFileSync(files.key, 'half of a k')

  look()

  expect(await nameShownBy(server)).toBe('localhost')
})

const OLD = { maxVersion: 'TLSv1.2', ciphers: 'DEFAULT@SECLEVEL=0' } as const

it('speaks TLS 1.3, and 1.2 with forward secrecy and authenticated encryption only, also after a renewal', async () => {
  const files = givenFiles()
  const { server, look } = await givenListener(files)
  const speaks = async (options: ConnectionOptions) => {
    const socket = await connectTo(server, options).catch(() => undefined)
    const spoken = socket && `${socket.getProtocol()} ${socket.getCipher().standardName}`
    socket?.destroy()
    return spoken
  }
  const all = async () => [
    await speaks({}),
    await speaks(OLD),
    await speaks({ ...OLD, ciphers: 'ECDHE-ECDSA-AES128-SHA:AES128-GCM-SHA256' }),
    await speaks({ ...OLD, ciphers: 'ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA' }),
    await speaks({ ...OLD, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
  ]
  const before = await all()

  renew(files)
  look()
  await expect.poll(() => nameShownBy(server)).toBe('renewed')

  expect(before).toEqual([
    'TLSv1.3 TLS_AES_256_GCM_SHA384',
    expect.stringMatching(/^TLSv1\.2 TLS_ECDHE_ECDSA_WITH_(?:AES_\d+_GCM|CHACHA20)/),
    undefined,
    undefined,
    undefined,
  ])
  expect(await all()).toEqual(before)
})
