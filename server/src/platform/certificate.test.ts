import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type Server } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { watchCertificate } from './certificate.ts'
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
  const server = createServer({ cert: identity.certificate, key: identity.key }, (socket) =>
    socket.end(),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const watch = watchCertificate(identity, server, createLog('silent'))
  onTestFinished(async () => {
    await watch?.stop()
    server.close()
  })
  return { server, look: () => watch?.runNow() }
}

async function nameShownBy(server: Server): Promise<unknown> {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return CN
}

it('shows a renewed certificate to those who connect from then on', async () => {
  const files = givenFiles()
  const { server, look } = await givenListener(files)
  const before = await nameShownBy(server)
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const into = ['-subj', '/CN=renewed', '-keyout', files.key, '-out', files.certificate]
  execFileSync('openssl', [...request, ...into], { stdio: 'pipe' })

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
