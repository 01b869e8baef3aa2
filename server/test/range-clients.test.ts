/**
 * Programs of the field read artifacts in ranges, at both doors: curl, and SWUpdate's delta handler with zchunk; HAProxy and nginx
 * pass ranges on. Of each the tests say when they skip. RAUC does in rauc-streaming.test.ts.
 */
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { readByteRanges } from './byteranges.ts'
import { type Client, givenClient } from './given.ts'
import { givenOfferedUpdate, givenVersionWithArtifact } from './given-ddi.ts'
import { syncingDevice } from './given-device-sync.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { NAME, PROXIES, isThere, startProxy } from './guide-proxies.ts'
import { hasHaproxy, startTlsHaproxy } from './haproxy.ts'
import { propertyRuns } from './property-runs.ts'
import {
  arbitraryRanges,
  type AskRanges,
  createHttp2Client,
  createRawClient,
  expectAnswer,
  type RangeAnswer,
  type RangeRequest,
} from './ranges-through-proxies.ts'
import { givenSigner, packSwu } from './given-swu.ts'
import { freePort } from './service-process.ts'

const run = promisify(execFile)

function has(...programs: string[]): boolean {
  try {
    for (const program of programs)
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'pipe' })
    return true
  } catch {
    if (process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
      throw new Error(
        `PLIMSOLL_REQUIRE_SERVICES is set, and one is missing: ${programs.join(', ')}`,
      )
    return false
  }
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-ranges-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let test: TestApp
let client: Client
let url: string
let port: number
beforeAll(async () => {
  port = await freePort()
  url = `http://127.0.0.1:${port}`
  // As in the field: the limits hold.
  test = await startTestApp({ publicUrl: url })
  client = await givenClient(test)
  await test.app.listen({ host: '127.0.0.1', port })
})

interface Offer {
  bytes: Buffer
  fileName: string
}

/** A device that is offered the file, with its addresses at both doors. */
async function givenOffer({ bytes, fileName }: Offer) {
  const version = await givenVersionWithArtifact(test, client, { bytes, fileName })
  const { ddi } = await givenOfferedUpdate(test, client, [version])
  const { deviceId, deviceKey } = ddi
  const { workspaceId } = client
  const answer = await syncingDevice(test, { workspaceId, deviceId, deviceKey }).sync({})
  const { update } = answer.json<{ update: { artifacts: { url: string }[] } }>()
  const link = update.artifacts[0]?.url ?? ''
  const file = `${url}${ddi.base}/softwaremodules/100/artifacts/${encodeURIComponent(fileName)}`
  return { link, file, authorization: `authorization: TargetToken ${deviceKey}` }
}

describe.skipIf(!has('curl'))('curl (skipped where it is absent)', () => {
  const bytes = randomBytes(100_000)
  const curl = async (...args: string[]) => {
    const { stdout } = await run('curl', ['-sS', '-i', ...args], { encoding: 'buffer' })
    const end = stdout.indexOf('\r\n\r\n')
    return { head: stdout.subarray(0, end).toString('latin1'), body: stdout.subarray(end + 4) }
  }

  it('gets the parts it asks for at both doors', async () => {
    const { link, file, authorization } = await givenOffer({ bytes, fileName: 'a.bin' })

    for (const where of [[link], ['-H', authorization, file]]) {
      const { head, body } = await curl('-r', '0-0,5-9,-3', ...where)

      expect(head).toMatch(/^HTTP\/1.1 206 /)
      const [, type] = /^content-type: (.*)$/im.exec(head) ?? []
      const parts = readByteRanges(type?.trim(), body)
      expect(parts.map((part) => part.bytes)).toEqual([
        bytes.subarray(0, 1),
        bytes.subarray(5, 10),
        bytes.subarray(-3),
      ])
    }
  })

  it('gets 431 with a problem for 100,000 ranges, and the service goes on', async () => {
    const { link } = await givenOffer({ bytes, fileName: 'b.bin' })
    const header = join(folder, 'header')
    const ranges = Array.from({ length: 100_000 }, () => '0-0')
    writeFileSync(header, `range: bytes=${ranges.join()}\n`)

    const refused = await curl('-H', `@${header}`, link)
    const next = await curl('-r', '7-7', link)

    expect(refused.head).toMatch(/^HTTP\/1.1 431 /)
    expect(refused.body.toString()).toContain('/problems/headers-too-large')
    expect(next.body).toEqual(bytes.subarray(7, 8))
  })
})

describe.skipIf(!has('swupdate', 'zck', 'zck_read_header', 'openssl'))(
  "SWUpdate's delta handler (skipped where swupdate or zchunk is absent)",
  () => {
    it('fetches only the chunks that its image lacks, and installs the whole new one', async () => {
      const [before, after] = [join(folder, 'before.img'), join(folder, 'after.img')]
      const old = randomBytes(8_000_000)
      const changed = Buffer.from(old)
      for (let at = 0; at < changed.length; at += 500_000) randomBytes(64).copy(changed, at)
      writeFileSync(before, old)
      writeFileSync(after, changed)
      const chunks = join(folder, 'after.zck')
      execFileSync('zck', ['-u', '-h', 'sha256', '--output', chunks, after], { stdio: 'pipe' })
      const zck = readFileSync(chunks)
      const told = execFileSync('zck_read_header', ['-v', chunks], { encoding: 'utf8' })
      const headerBytes = Number(/Header size:\s*(\d+)/.exec(told)?.[1])
      const { link } = await givenOffer({ bytes: zck, fileName: 'after.zck' })
      const target = join(folder, 'target.img')
      writeFileSync(target, Buffer.alloc(changed.length))
      const signer = givenSigner(folder)
      const image = join(folder, 'delta.swu')
      const header = zck.subarray(0, headerBytes)
      writeFileSync(
        image,
        packSwu(folder, signer, {
          describe: (sha256) => `software = {
  version = "2.0.0";
  hardware-compatibility: ["1.0"];
  images: ({
    filename = "content"; type = "delta"; device = "${target}"; sha256 = "${sha256}";
    properties = { url = "${link}"; source = "${before}"; chain = "raw"; zckloglevel = "error"; };
  });
}
`,
          content: header,
        }),
      )
      const home = join(folder, 'home')
      mkdirSync(home)

      const args = ['-i', image, '-k', signer.certificate, '-H', 'test:1.0', '-l', '5']
      const { stdout, stderr } = await run('swupdate', args, {
        cwd: home,
        env: { ...process.env, TMPDIR: home },
        maxBuffer: 100_000_000,
      })

      expect(readFileSync(target).equals(changed)).toBe(true)
      const log = stdout + stderr
      const loaded = Number(/Total downloaded data : (\d+)/.exec(log)?.[1])
      expect(loaded).toBeGreaterThan(0)
      expect(loaded).toBeLessThan(zck.length / 2)
      expect(log).toMatch(/Range request : \d+-\d+,\d+-\d+/)
    })
  },
)

/** An unpredictable file that is larger than what a stream or a proxy passes on at once. */
const SIZE = 150_001
const file = randomBytes(SIZE)

type Front = 'no proxy' | 'HAProxy' | 'nginx'
const { nginx } = PROXIES
const FRONTS: Record<Front, boolean> = {
  'no proxy': true,
  HAProxy: hasHaproxy,
  nginx: nginx !== undefined && isThere(nginx),
}

describe('ranges by raw sockets (skipped where a proxy is absent)', () => {
  const clients = new Map<string, AskRanges>()
  let doors: RangeRequest[]

  beforeAll(async () => {
    const {
      link,
      file: atHawkbit,
      authorization,
    } = await givenOffer({
      bytes: file,
      fileName: 'c.bin',
    })
    const [, token = ''] = authorization.split(': ')
    const { pathname, search } = new URL(link)
    doors = [
      { path: pathname + search, headers: {} },
      { path: new URL(atHawkbit).pathname, headers: { authorization: token } },
    ]
    clients.set('no proxy', createRawClient({ port }))
    const [certificate, key] = [join(folder, 'cert'), join(folder, 'key')]
    const names = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
    const made = ['-newkey', 'rsa:2048', '-keyout', key, '-out', certificate]
    execFileSync('openssl', ['req', '-x509', '-nodes', ...made, ...names], { stdio: 'pipe' })
    const ca = readFileSync(certificate, 'utf8')
    const keep = (front: Front, at: number) => {
      const place = { port: at, ca, name: NAME }
      const http2 = createHttp2Client(place)
      closeAtEndOfFile(http2.close)
      clients.set(front, createRawClient(place)).set(`${front}, HTTP/2`, http2.ask)
    }
    if (FRONTS.HAProxy) {
      const pair = { certificate: ca, key: readFileSync(key, 'utf8') }
      keep('HAProxy', await startTlsHaproxy(folder, { upstream: port, ...pair }))
    }
    if (FRONTS.nginx && nginx) {
      const ports = { service: port, http: await freePort(), https: await freePort() }
      const { child } = startProxy(nginx, folder, ports)
      closeAtEndOfFile(() => child.kill())
      keep('nginx', ports.https)
    }
    // Until each proxy listens.
    for (const ask of clients.values())
      while ((await ask(request(0, '0-0')))?.status !== 206) await delay(20)
  })

  const request = (door: number, ranges: string): RangeRequest => {
    const { path = '', headers = {} } = doors[door] ?? {}
    return { path, headers: { ...headers, range: `bytes=${ranges}` } }
  }

  /** The parts of an answer with 206, one or several. */
  function readParts({ headers, body }: RangeAnswer) {
    expect(headers['content-length']).toBe(String(body.length))
    const one = headers['content-range']
    if (one === undefined) return readByteRanges(headers['content-type'], body)
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(one) ?? []
    return [{ first: Number(first), last: Number(last), total: Number(total), bytes: body }]
  }

  const each = Object.entries(FRONTS).flatMap(([front, isHere]) =>
    (front === 'no proxy' ? [front] : [front, `${front}, HTTP/2`]).map(
      (name) => [name, isHere] as const,
    ),
  )

  describe.each(each)('%s', (name, isHere) => {
    const ask: AskRanges = (asked) => {
      const front = clients.get(name)
      if (!front) throw new Error(`${name} was not started`)
      return front(asked)
    }

    it.skipIf(!isHere)(
      'answers with exactly the bytes of any ranges, once, at both doors',
      async () => {
        const asked = fc.tuple(
          fc.constantFrom(0, 1),
          arbitraryRanges(SIZE),
          fc.constantFrom(',', ', ', ' ,\t', ',,'),
        )
        const property = fc.asyncProperty(asked, async ([door, specs, comma]) => {
          const expected = expectAnswer(specs, SIZE)

          const answer = await ask(request(door, specs.join(comma)))

          expect(answer?.status).toBe(expected.status)
          if (!answer || expected.status === 416) return
          if (expected.status === 200) {
            expect(answer.body.equals(file)).toBe(true)
            return
          }
          const parts = readParts(answer)
          expect(parts.map(({ first, last }) => ({ start: first, end: last }))).toEqual(
            expected.parts,
          )
          for (const { first, last, total, bytes } of parts) {
            expect(total).toBe(SIZE)
            expect(bytes.equals(file.subarray(first, last + 1))).toBe(true)
          }
        })
        await fc.assert(property, { numRuns: propertyRuns(120) })
      },
    )

    it.skipIf(!isHere)('takes 1,000 ranges, refuses 1,001 and 100,000, and goes on', async () => {
      for (const door of [0, 1]) {
        const list = (count: number) =>
          Array.from({ length: count }, (_, index) => `${2 * index}-${2 * index}`).join()

        const most = await ask(request(door, list(1_000)))
        const [more, many] = [
          await ask(request(door, list(1_001))),
          await ask(request(door, list(100_000))),
        ]
        const next = await ask(request(door, '7-7'))

        expect(most && readParts(most)).toHaveLength(1_000)
        expect([more?.status, more?.body.toString()]).toEqual([
          416,
          expect.stringContaining('/problems/too-many-ranges'),
        ])
        // Whoever reads the headers refuses, with a status of its own or by ending the stream.
        expect([400, 431, undefined]).toContain(many?.status)
        expect([next?.status, next?.body]).toEqual([206, file.subarray(7, 8)])
      }
    })
  })
})
