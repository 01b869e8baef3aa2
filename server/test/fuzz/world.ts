/** The service that is tried: its HTTP server and gateway, and two workspaces, of which one must not notice anything. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import type { App } from '../../src/platform/http/app.ts'
import { reportAnswersTo } from '../answers.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { closeAtEndOfFile } from '../end-of-file.ts'
import { findErrorOf } from '../errors-logged.ts'
import { bytesOf, type StoredBytes } from './bytes.ts'
import { ended, Fault } from './door.ts'
import { givenGateway, mqttSettings } from '../given-mqtt.ts'
import { givenTenant, type Tenant } from './tenant.ts'

export interface World {
  test: TestApp
  port: number
  mqttPort: number
  /** Ids by the names that cases have for them: `mine.firmwareId`. */
  names: Record<string, string>
  /** Makes new things for the workspace that is tried. */
  renew: () => Promise<void>
  /** What the other workspace is and has. */
  others: Tenant
  /** A further one, for checks, and for devices: nobody deletes them meanwhile. */
  helper: Tenant
  /** What answers do against their description, by the id of the request. */
  deviations: Map<string, string>
}

export async function startWorld(): Promise<World> {
  const test = makePatient(
    await startTestApp({
      deviceRequestsPerMinute: 0,
      mqtt: mqttSettings({ messageRate: { perMinute: 0, burst: 1 } }),
    }),
  )
  const deviations = new Map<string, string>()
  closeAtEndOfFile(reportAnswersTo((fault, requestId) => deviations.set(requestId, fault)))
  await test.startWorker()
  const gateway = await givenGateway(test)
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = test.app.server.address() as AddressInfo
  const [others, helper] = [await givenTenant(test), await givenTenant(test)]
  const names: World['names'] = { ...named('theirs', others), ...named('helper', helper) }
  const renew = async () => {
    Object.assign(names, named('mine', await givenTenant(test)))
  }
  await renew()
  return { test, port, mqttPort: gateway.port, names, renew, others, helper, deviations }
}

/** What cases are made of is asked for again while the service is busy with cases; those themselves are sent over HTTP. */
function makePatient(test: TestApp): TestApp {
  const inject = async (options: InjectOptions) => {
    for (;;) {
      const answer = await test.app.inject(options)
      if (answer.statusCode !== 503) return answer
      await delay(BUSY_MS)
    }
  }
  const get = (app: App, name: string | symbol): unknown =>
    name === 'inject' ? inject : Reflect.get(app, name)
  return { ...test, app: new Proxy(test.app, { get }) }
}

const BUSY_MS = 200

function named(whose: string, { ids }: Tenant): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [`${whose}.${name}`, id]))
}

const PLACE = /\{\{([\w.]+)\}\}/g

/** Puts ids in the place of their names. */
export function withIds({ names }: World, text: string): string {
  return text.replaceAll(PLACE, (whole, name: string) => names[name] ?? whole)
}

export interface FuzzRequest {
  method: string
  /** With the query. Names of ids stand in `{{…}}`, here and in headers and bodies. */
  url: string
  headers: Record<string, string>
  body?: StoredBytes | undefined
  /** Names of ids stay in the body: one of another length would break its encoding. */
  isBinary?: boolean
}

export interface FuzzAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** What was sent, with ids. */
  sent: Buffer | undefined
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a request, and throws for an answer that nothing may be answered with. */
export async function ask(world: World, asked: FuzzRequest): Promise<FuzzAnswer> {
  const { method, url, body, isBinary = false } = asked
  const bytes = body && bytesOf(body)
  const sent = bytes && !isBinary ? withIdsIn(world, bytes) : bytes
  const headers = Object.fromEntries(
    Object.entries(asked.headers).map(([name, value]) => [name, withIds(world, value)]),
  )
  const answer = await ended(
    exchange({ world, method, path: withIds(world, url), headers, sent }),
    `${method} ${url}`,
  )
  judge(world, `${method} ${url.slice(0, 200)}`, answer)
  return { ...answer, sent }
}

function withIdsIn(world: World, bytes: Buffer): Buffer {
  return bytes.includes('{{')
    ? Buffer.from(withIds(world, bytes.toString('latin1')), 'latin1')
    : bytes
}

interface Exchange {
  world: World
  method: string
  path: string
  headers: Record<string, string>
  sent: Buffer | undefined
}

function exchange({ world, method, path, headers, sent }: Exchange): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const length = sent && { 'content-length': sent.length }
    const client = request(
      {
        port: world.port,
        host: '127.0.0.1',
        agent,
        method,
        path,
        headers: { ...length, ...headers },
      },
      (response) => {
        const { statusCode: status = 0, headers: got } = response
        const isEndless = got['content-type']?.startsWith('text/event-stream') === true
        const chunks: Buffer[] = []
        const done = () =>
          resolve({ status, headers: got, text: Buffer.concat(chunks).toString(), sent })
        if (isEndless) {
          client.destroy()
          done()
          return
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', done)
        response.on('error', reject)
      },
    )
    client.on('error', reject)
    client.end(sent)
  })
}

/** Traces of code, of SQL and of PostgreSQL's messages. */
const LEAKS =
  /\n\s+at |node_modules|\.ts:\d+|syntax error at or near|violates [\w-]+ constraint|duplicate key value|relation "|invalid input syntax|could not (?:serialize|determine)|of type \w+ is not|Cannot read propert|is not a function|is not iterable|undefined \(reading/

export function judge(
  { deviations }: World,
  what: string,
  answer: Pick<FuzzAnswer, 'status' | 'headers' | 'text'>,
): void {
  const { status, headers, text } = answer
  const id = String(headers['x-request-id'])
  const deviation = deviations.get(id)
  deviations.delete(id)
  const said = text.slice(0, 400)
  const mayRepeat = status === 503 && headers['retry-after'] !== undefined
  if (status >= 500 && !mayRepeat)
    throw new Fault(`answered ${status} to ${what}: ${said} ${findErrorOf(id) ?? ''}`)
  if (status >= 400 && LEAKS.test(text)) throw new Fault(`told too much to ${what}: ${said}`)
  if (deviation !== undefined) throw new Fault(deviation)
  if (!('x-content-type-options' in headers)) throw new Fault(`no security headers at ${what}`)
}
