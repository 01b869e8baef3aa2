/** Clients that go on whatever happens, and know what was accepted from them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Installation, Keys } from './installation.ts'

export interface World {
  installation: Installation
  keys: Keys
  firmwareVersionIds: [string, string]
  cohortId: string
  uploads: number
  stopping: AbortSignal
}

export interface Accepted {
  /** Ids of SBOMs. */
  sboms: Set<string>
  /** Of each finding, the assessments of which one has to hold: the last accepted one, and those sent after it. */
  assessments: Map<string, string[]>
  deployments: Set<string>
  /** Addresses that were to be asked. */
  addresses: Set<string>
  /** How many points were sent, each until it was acknowledged. */
  points: number
}

export interface Answer<Body> {
  status: number
  body: Body
}

/** undefined: nobody knows whether it was done. */
async function send<Body>(
  { installation, keys }: Pick<World, 'installation' | 'keys'>,
  path: string,
  {
    method = 'GET',
    body,
    key = keys.apiKey,
  }: { method?: string; body?: string; key?: string } = {},
): Promise<Answer<Body> | undefined> {
  const type = path.includes('/sboms?') ? 'application/octet-stream' : 'application/json'
  try {
    const response = await fetch(`${installation.service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(20_000),
    })
    return { status: response.status, body: (await response.json()) as Body }
  } catch {
    return undefined
  }
}

export const call = <Body>(
  world: Pick<World, 'installation' | 'keys'>,
  method: string,
  path: string,
  body?: object | string,
): Promise<Answer<Body> | undefined> =>
  send<Body>(world, `/workspaces/${world.keys.workspaceId}${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const PAUSE_MS = 100
/** Every tenth is broken: it has to end as Failed, not in limbo. */
const isBroken = (index: number) => index % 10 === 9
export const countBroken = (uploads: number) => Math.floor(uploads / 10)

/** The shared part has a flaw, so that there is something to decide about. */
function bom(index: number): string {
  const names = ['part-shared', ...Array.from({ length: 19 }, (_, part) => `part-${index}-${part}`)]
  const components = names.map((name) => ({
    type: 'library',
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
  }))
  const text = JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components,
  })
  return isBroken(index) ? text.slice(0, -5) : text
}

/** Sends the file until it is accepted. */
async function uploadOne(world: World, index: number): Promise<string[]> {
  const path = `/firmware-versions/${world.firmwareVersionIds[0]}/sboms?fileName=${index}.json`
  for (;;) {
    const answer = await call<{ sboms: { id: string }[] }>(world, 'POST', path, bom(index))
    if (answer?.status === 202) return answer.body.sboms.map(({ id }) => id)
    await delay(PAUSE_MS)
  }
}

async function uploadAll(world: World, accepted: Accepted, indexes: Iterable<number>) {
  for (const index of indexes)
    for (const id of await uploadOne(world, index)) accepted.sboms.add(id)
}

const ASSESSMENTS = ['InTriage', 'NotAffected', 'Exploitable']

async function decide(world: World, accepted: Accepted): Promise<void> {
  for (let turn = 0; !world.stopping.aborted; turn += 1) {
    await delay(3 * PAUSE_MS)
    const listed = await call<{ findings: { id: string }[] }>(
      world,
      'POST',
      `/firmware-versions/${world.firmwareVersionIds[0]}/vulnerability-findings/list`,
      { limit: 1 },
    )
    const id = listed?.status === 200 ? listed.body.findings[0]?.id : undefined
    if (id === undefined) continue
    const assessment = ASSESSMENTS[turn % ASSESSMENTS.length] ?? ''
    const path = `/vulnerability-findings/${id}/assessments`
    const answer = await call(world, 'POST', path, { assessment })
    const before = accepted.assessments.get(id) ?? []
    accepted.assessments.set(id, answer?.status === 200 ? [assessment] : [...before, assessment])
  }
}

/** Reports points one after another, each until it is acknowledged, and what it runs. */
async function report(world: World, accepted: Accepted, device: string): Promise<void> {
  const path = `/device/v1/${world.keys.workspaceId}/${device}/sync`
  for (let sequence = 0; !world.stopping.aborted; sequence += 1) {
    const version = sequence % 20 < 10 ? '1' : '2'
    const body = JSON.stringify({
      session: { runId: 'drill', firmware: [{ slug: 'drill', version }] },
      metrics: [{ name: 'temperature', value: sequence % 100, sequence }],
    })
    accepted.points += 1
    while (
      (await send(world, path, { method: 'POST', body, key: world.keys.deviceKey }))?.status !== 200
    )
      await delay(PAUSE_MS)
    await delay(PAUSE_MS)
  }
}

async function deploy(world: World, accepted: Accepted): Promise<void> {
  for (let turn = 0; !world.stopping.aborted; turn += 1) {
    await delay(8 * PAUSE_MS)
    const artifacts = [{ firmwareVersionId: world.firmwareVersionIds[turn % 2] }]
    const path = `/deployment-cohorts/${world.cohortId}/deployments`
    const answer = await call<{ id: string }>(world, 'POST', path, { name: `${turn}`, artifacts })
    if (answer?.status === 201) accepted.deployments.add(answer.body.id)
  }
}

/** A workspace may ask 30 addresses an hour. */
const MOST_ADDRESSES = 25

async function askAddresses(world: World, accepted: Accepted): Promise<void> {
  for (let turn = 0; turn < MOST_ADDRESSES && !world.stopping.aborted; turn += 1) {
    await delay(8 * PAUSE_MS)
    const address = `r${turn}@example.com`
    const body = { name: address, type: 'Email', state: 'Enabled', emailAddresses: [address] }
    const answer = await call(world, 'POST', '/notification-targets', body)
    if (answer?.status === 201) accepted.addresses.add(address)
  }
}

/** `uploaded` ends with the last upload; `ended` after that, once `stopping` is aborted. */
export function startLoad(world: World) {
  const accepted: Accepted = {
    sboms: new Set(),
    assessments: new Map(),
    deployments: new Set(),
    addresses: new Set(),
    points: 0,
  }
  // Both take from the same numbers.
  const indexes = Array.from({ length: world.uploads }, (_, index) => index).values()
  const uploading = [1, 2].map(() => uploadAll(world, accepted, indexes))
  const uploaded = Promise.all(uploading)
  const ended = Promise.all([
    decide(world, accepted),
    deploy(world, accepted),
    askAddresses(world, accepted),
    ...['device-1', 'device-2'].map((device) => report(world, accepted, device)),
  ])
  return { accepted, uploaded, ended }
}
