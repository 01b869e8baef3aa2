/** The configurations of docs/guide/device-certificates.md as they are: HAProxy, nginx, Envoy, Caddy and Traefik in front, and SWUpdate as a client. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { startTestApp } from './app.ts'
import { givenClient } from './given.ts'
import {
  CERTIFICATE_HEADER,
  letDevicesRegister,
  startCertificateApp,
} from './given-certificate-app.ts'
import { createDeviceIssuer } from '../src/features/device-issuers/service.ts'
import { hashCertificate } from '../src/formats/x509/certificate.ts'
import {
  givenAuthority,
  givenServerCertificate,
  type MadeCertificate,
} from './given-certificates.ts'
import { freePort } from './service-process.ts'

const run = promisify(execFile)
// Debian installs proxies in a folder of root's path.
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-proxies-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const guide = readFileSync(
  resolve(import.meta.dirname, '../../docs/guide/device-certificates.md'),
  'utf8',
)

/** The block of the guide that matches. */
function readBlock(pattern: RegExp): string {
  const [, text] = pattern.exec(guide) ?? []
  if (text === undefined) throw new Error(`the guide has no block ${pattern.source}`)
  return text
}

/** Of these Debian has no package. */
const SELDOM = new Set(['envoy', 'caddy', 'traefik'])

/** Skips, saying so, where a program is missing. */
function given(...programs: string[]) {
  const missing = programs.filter(
    (name) => spawnSync('which', [name], { env: { PATH } }).status !== 0,
  )
  const isRequired = missing.some((name) => !SELDOM.has(name))
  if (isRequired && process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
    throw new Error(`PLIMSOLL_REQUIRE_SERVICES is set, and there is no ${missing.join(', ')}`)
  if (missing.length > 0) process.stderr.write(`skipped, missing: ${missing.join(', ')}\n`)
  return it.skipIf(missing.length > 0)
}

interface Proxy {
  command: string
  /** Where it sets one of a name of its own. */
  header?: string
  /** Its configuration in the guide, with these places. */
  configure: (at: { port: number; service: string; tls: string }) => string[]
}

const write = (name: string, text: string) => {
  const file = join(folder, name)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

const PROXIES: readonly Proxy[] = [
  {
    command: 'haproxy',
    configure: ({ port, service, tls }) => {
      const config = readBlock(/^```haproxy\n(.*?)^```$/ms)
        .replace(':443', `127.0.0.1:${port}`)
        .replace('/etc/haproxy/tls.pem', tls)
        .replace('10.0.0.10:8080', service)
      return ['-db', '-f', write('haproxy.cfg', config)]
    },
  },
  {
    command: 'nginx',
    configure: ({ port, service, tls }) => {
      const config = readBlock(/^```nginx\n(.*?)^```$/ms)
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replaceAll(/\/etc\/nginx\/tls\.(?:pem|key)/g, tls)
        .replace('10.0.0.10:8080', service)
      const own = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;\n`
      const logs = `http {\n  access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};`
      return ['-c', write('nginx.conf', own + config.replace('http {', logs)), '-p', folder]
    },
  },
  {
    command: 'envoy',
    header: 'x-forwarded-client-cert',
    configure: ({ port, service, tls }) => {
      const [host = '', servicePort = ''] = service.split(':')
      const config = readBlock(/^```envoy\n(.*?)^```$/ms)
        .replace('0.0.0.0, port_value: 443', `127.0.0.1, port_value: ${port}`)
        .replaceAll(/\/etc\/envoy\/tls\.(?:pem|key)/g, tls)
        .replace('10.0.0.10, port_value: 8080', `${host}, port_value: ${servicePort}`)
      const all = ['--disable-hot-restart', '--concurrency', '1', '--log-level', 'error']
      return ['-c', write('envoy.yaml', config), ...all]
    },
  },
  {
    command: 'caddy',
    configure: ({ port, service, tls }) => {
      const config = readBlock(/^```caddyfile\n(.*?)^```$/ms)
        .replace(':443', `localhost:${port}`)
        .replaceAll(/\/etc\/caddy\/tls\.(?:pem|key)/g, tls)
        .replace('10.0.0.10:8080', service)
      const own = '{\n  admin off\n  auto_https disable_redirects\n  skip_install_trust\n}\n'
      return ['run', '--adapter', 'caddyfile', '--config', write('Caddyfile', own + config)]
    },
  },
  {
    command: 'traefik',
    header: 'x-forwarded-tls-client-cert',
    configure: ({ port, service, tls }) => {
      const config = readBlock(/^```traefik\n(.*?)^```$/ms)
        .replaceAll(/\/etc\/traefik\/tls\.(?:pem|key)/g, tls)
        .replace('10.0.0.10:8080', service)
      return [
        `--entryPoints.devices.address=127.0.0.1:${port}`,
        `--providers.file.filename=${write('traefik.yml', config)}`,
      ]
    },
  },
]

/** A service that believes proxies at 127.0.0.1, and an authority of a workspace. */
async function startBehindProxy(header: string) {
  const certificateProxies = { header, addresses: ['127.0.0.1'] }
  const test = await startTestApp({ certificateProxies, deviceRequestsPerMinute: 0 })
  const port = await freePort()
  await test.app.listen({ host: '0.0.0.0', port })
  const client = await givenClient(test)
  await letDevicesRegister(test, client)
  const authority = givenAuthority()
  await createDeviceIssuer(test.ctx, {
    workspaceId: client.workspaceId,
    name: 'Factory',
    certificate: authority.pem,
    proof: authority.issue(`plimsoll-issuer-${client.workspaceId}`).pem,
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  return { client, authority, port }
}

async function ask(url: string, args: readonly string[]): Promise<number> {
  const all = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', '-X', 'POST', ...args, url]
  const { stdout } = await run('curl', all)
  return Number(stdout)
}

const show = ({ certificate, key }: MadeCertificate) => ['--cert', certificate, '--key', key]

/** Runs the proxy in front of the service until the test is over. */
async function withProxy(
  { command, configure }: Proxy,
  service: number,
  test: (proxy: { address: string; ca: readonly string[] }) => Promise<void>,
): Promise<void> {
  const servers = givenAuthority('Servers')
  const { certificate, key } = givenServerCertificate(servers)
  const port = await freePort()
  const tls = write(`${command}.pem`, certificate + key)
  const args = configure({ port, service: `127.0.0.1:${service}`, tls })
  // Caddy keeps what it was started with.
  const env = { PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const proxy = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  proxy.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const address = `https://localhost:${port}`
  const ca = ['--cacert', servers.certificate]
  try {
    while ((await ask(address, ca).catch(() => 0)) === 0) {
      if (proxy.exitCode !== null) throw new Error(`${command} ended:\n${said}`)
      await delay(20)
    }
    await test({ address, ca })
  } finally {
    const ended = once(proxy, 'exit')
    if (proxy.exitCode === null) proxy.kill()
    if (proxy.exitCode === null) await ended
  }
}

for (const proxy of PROXIES) {
  const { command, header = CERTIFICATE_HEADER } = proxy
  given(
    command,
    'curl',
    'openssl',
  )(
    `${command} as the guide has it passes on the certificate of curl, and no header of its client`,
    async () => {
      const { client, authority, port: service } = await startBehindProxy(header)
      await withProxy(proxy, service, async ({ address, ca }) => {
        const pathOf = (deviceId: string) => `/device/v1/${client.workspaceId}/${deviceId}/sync`
        const url = (deviceId: string) => `${address}${pathOf(deviceId)}`
        const own = authority.issue('gw-1')
        const forged = `${header}: ${encodeURIComponent(own.pem)}`

        expect(await ask(url('gw-1'), [...ca, ...show(own)])).toBe(200)
        expect(await ask(url('gw-1'), [...ca, ...show(givenAuthority().issue('gw-1'))])).toBe(401)
        expect(await ask(url('gw-1'), ca)).toBe(401)
        expect(await ask(url('gw-1'), [...ca, '-H', forged])).toBe(401)
        const lines = ['-H', forged, '-H', forged.replace(header, header.toUpperCase())]
        expect(await ask(url('gw-1'), [...ca, ...lines])).toBe(401)
        const other = authority.issue('gw-2')
        expect(await ask(url('gw-2'), [...ca, ...lines, ...show(other)])).toBe(200)
        // Past the proxy, the header of anybody else is ignored.
        const past = `http://127.0.0.1:${service}${pathOf('gw-1')}`
        expect(await ask(past, ['--interface', '127.0.0.9', '-H', forged])).toBe(401)
        // A proxy that adds lines instead of setting the header would let its client choose.
        expect(await ask(past, ['-H', forged, '-H', forged])).toBe(400)
      })
    },
  )
}

/** The names of a certificate with any text in a URI, which openssl would take apart at commas and quotes. */
function nameByUri(text: string): string {
  const uri = encodePart(0x86, Buffer.from(text, 'latin1'))
  return `subjectAltName=DER:${encodePart(0x30, uri).toString('hex')}`
}

function encodePart(tag: number, content: Buffer): Buffer {
  const { length } = content
  const lengths =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : [0x82, Math.floor(length / 0x100), length % 0x100]
  return Buffer.concat([Buffer.from([tag, ...lengths]), content])
}

describe('Envoy that passes on all that it knows of a certificate', () => {
  const envoy = PROXIES.find(({ command }) => command === 'envoy')
  const configureAs = (details: string): Proxy => {
    if (!envoy) throw new Error('there is no envoy')
    return {
      ...envoy,
      configure: (at) => {
        const args = envoy.configure(at)
        const file = args[1] ?? ''
        const all = '{ cert: true, chain: true, subject: true, uri: true, dns: true }'
        const config = readFileSync(file, 'utf8')
          .replace('SANITIZE_SET', details)
          .replace('{ cert: true }', all)
        if (!config.includes(all) || !config.includes(details))
          throw new Error('the guide has another configuration of Envoy')
        writeFileSync(file, config)
        return args
      },
    }
  }

  for (const details of ['SANITIZE_SET', 'APPEND_FORWARD'])
    given(
      'envoy',
      'curl',
      'openssl',
    )(
      `lets in the device of the certificate alone, whatever its client sends and has as names (${details})`,
      async () => {
        const header = 'x-forwarded-client-cert'
        const { client, authority, port: service } = await startBehindProxy(header)
        const own = authority.issue('gw-1/O=A "B", C=D;E', {
          extensions: 'subjectAltName=URI:urn:a=b,URI:urn:c,DNS:a.example,DNS:b.example',
        })
        const hash = hashCertificate(new X509Certificate(own.pem)).toString('hex')
        const cert = encodeURIComponent(own.pem)
        const theirs = `Hash=${hash};Cert="${cert}"`
        const strangers = givenAuthority('Strangers')
        const hostile = (text: string) =>
          show(strangers.issue('x', { extensions: nameByUri(text) }))
        const send = (value: string) => ['-H', `${header}: ${value}`]

        await withProxy(configureAs(details), service, async ({ address, ca }) => {
          const url = `${address}/device/v1/${client.workspaceId}/gw-1/sync`
          const sync = (...args: string[]) => ask(url, [...ca, ...args])

          expect(await sync(...show(own))).toBe(200)
          const attacks = [
            hostile(`x;Cert="${cert}"`),
            hostile(`x;Hash=${hash};Cert="${cert}"`),
            hostile(`x,${theirs}`),
            [...hostile('";DNS=x'), ...send(`${theirs};URI="`)],
            [...hostile('x'), ...send(theirs)],
            [...hostile('x'), ...send(`${theirs};X="`)],
            [...hostile('x'), ...send(theirs), ...send(theirs)],
            send(theirs),
          ]
          const answers: number[] = []
          for (const attack of attacks) answers.push(await sync(...attack))
          expect(answers.filter((status) => status !== 400 && status !== 401)).toEqual([])
          // Where Envoy appends, what comes before its own element shuts out who sent it, and nobody else.
          const mixed = await sync(...show(own), ...send('Hash=ab'))
          expect(mixed).toBe(details === 'APPEND_FORWARD' ? 400 : 200)
          expect(await sync(...show(own))).toBe(200)
        })
      },
    )
})

given('swupdate', 'openssl')(
  'SWUpdate as the guide has it polls with its certificate, and registers its device',
  async () => {
    const { givenWorkspace, servers, port } = await startCertificateApp()
    const { client, authority } = await givenWorkspace()
    const own = authority.issue('gw-1')
    const section = readBlock(/^```\n(suricatta: \{\n.*?sslcert.*?)^```$/ms)
      .replace('https://plimsoll.example.com', `https://localhost:${port}`)
      .replace(/tenant( +)= "[^"]*"/, `tenant = "${client.workspaceId}"`)
      .replace('"gw-0042"', '"gw-1"')
      .replace('/etc/swupdate/ca.pem', servers.certificate)
      .replace('/etc/swupdate/gw-0042.pem', own.certificate)
      .replace('/etc/swupdate/gw-0042.key', own.key)
      .replace('suricatta: {', 'suricatta: { polldelay = 1;')
    const globals = `globals: { loglevel = 3; public-key-file = "${own.certificate}"; };\n`
    const config = write('swupdate.cfg', globals + section)
    const child = spawn('swupdate', ['-f', config, '-H', 'test:1.0', '-u', ''], {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString()
      })
    try {
      let door: unknown
      while (door !== 'Ddi') {
        if (child.exitCode !== null) throw new Error(`swupdate ended:\n${said}`)
        await delay(100)
        door = (await client.get('/devices/gw-1')).json<{ door?: string }>().door
      }
      const keys = await client.get('/device-keys?deviceId=gw-1')
      expect(keys.json()).toMatchObject([{ certificate: { issuer: { name: 'Factory' } } }])
    } finally {
      const ended = once(child, 'exit')
      if (child.pid !== undefined && child.exitCode === null) {
        process.kill(-child.pid, 'SIGKILL')
        await ended
      }
    }
  },
)
