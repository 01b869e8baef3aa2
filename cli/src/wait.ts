/** Waits until SBOMs were parsed and their packages matched. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sbom } from '../../api-client/src/index.ts'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'
import { note, formatCount } from './print.ts'
import { sanitise } from './printable.ts'
import { isAway } from './retry.ts'
import type { Session } from './session.ts'

export const SBOM_STATES = ['parsing', 'matching', 'ready', 'failed'] as const
export type SbomState = (typeof SBOM_STATES)[number]

/** `ready`: the components are listed and all of them were matched. */
export function readSbomState({
  parsingState,
  vulnerabilitiesParsedAt,
}: Pick<Sbom, 'parsingState' | 'vulnerabilitiesParsedAt'>): SbomState {
  if (parsingState === 'Failed') return 'failed'
  if (parsingState === 'InProgress') return 'parsing'
  return vulnerabilitiesParsedAt === null ? 'matching' : 'ready'
}

/** Failures from which on nobody should wait: by then, the service has tried for about a minute. */
const FAILURES_TO_WAIT_FOR = 5

function isHopeless({ failure }: Pick<Sbom, 'failure'>): boolean {
  return failure ? failure.isGivenUp || failure.attempts >= FAILURES_TO_WAIT_FOR : false
}

/** Why an SBOM is not ready yet; undefined: nothing has failed. */
export function describeFailure(sbom: Sbom): string | undefined {
  const { failure } = sbom
  // A service of an earlier release tells of none.
  if (!failure) return undefined
  const { attempts, isGivenUp, reason } = failure
  const next = isGivenUp ? 'It is tried again every hour' : 'It is tried again'
  return `${readSbomState(sbom)} failed ${formatCount(attempts, 'time')}: ${reason}. ${next}.`
}

export async function listSboms(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
): Promise<Sbom[]> {
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sboms'
  const { sboms } = await client.get(path, { params: { workspaceId, firmwareVersionId } })
  return sboms
}

export interface WaitOptions {
  /** undefined: all SBOMs of the firmware version. */
  ids?: readonly string[]
  timeoutSeconds: number
  onStates: (sboms: readonly Sbom[]) => void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

export async function waitUntilReady(
  session: Session,
  firmwareVersionId: string,
  { ids, timeoutSeconds, onStates }: WaitOptions,
): Promise<Sbom[]> {
  const wanted = ids && new Set(ids)
  const deadline = performance.now() + timeoutSeconds * 1000
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const all = await whileAway(() => listSboms(session, firmwareVersionId), deadline)
    const sboms = wanted ? all.filter(({ id }) => wanted.has(id)) : all
    if (wanted && sboms.length < wanted.size)
      for (const id of await requireReplaced(session, firmwareVersionId, { wanted, all }))
        wanted.delete(id)
    onStates(sboms)
    const busy = sboms.filter(
      (sbom) => readSbomState(sbom) === 'parsing' || readSbomState(sbom) === 'matching',
    )
    if (busy.length === 0) return sboms
    const hopeless = busy.filter(isHopeless)
    if (hopeless.length > 0)
      throw new CliError(EXIT.sbomFailed, hopeless.map(formatLine).join('\n'))
    const left = deadline - performance.now()
    if (left <= 0) throw timedOut(busy, timeoutSeconds)
    await sleep(Math.min(pause, left))
  }
}

const LONGEST_AWAY_MS = 60_000
const AWAY_PAUSE_MS = 1000

/** Asks again while a service that restarts does not answer, until the deadline at most. */
async function whileAway<Answer>(ask: () => Promise<Answer>, deadline: number): Promise<Answer> {
  const until = Math.min(deadline, performance.now() + LONGEST_AWAY_MS)
  for (let isNoted = false; ; isNoted = true) {
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error) || performance.now() >= until) throw error
    }
    if (!isNoted) note('The service does not answer. It is asked again for up to a minute.')
    await sleep(AWAY_PAUSE_MS)
  }
}

/** An upload that came later, or a later version of the document, may have taken the place of what is waited for. */
async function requireReplaced(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  { wanted, all }: { wanted: ReadonlySet<string>; all: readonly Sbom[] },
): Promise<string[]> {
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/replaced-sboms'
  const { sboms } = await client.get(path, { params: { workspaceId, firmwareVersionId } })
  const present = new Set(all.map(({ id }) => id))
  const missing = [...wanted].filter((id) => !present.has(id))
  for (const id of missing) {
    const replaced = sboms.find((sbom) => sbom.id === id)
    if (!replaced)
      throw new CliError(
        EXIT.error,
        'An SBOM was deleted while the command waited for its findings.',
      )
    const { fileName, replacedById } = replaced
    note(`${sanitise(fileName)} does not count: the SBOM ${replacedById} replaces it.`)
  }
  return missing
}

function timedOut(busy: readonly Sbom[], seconds: number): CliError {
  const names = busy.map((sbom) => `  ${formatLine(sbom)}`).join('\n')
  return new CliError(EXIT.timedOut, `Not ready after ${formatCount(seconds, 'second')}:\n${names}`)
}

const formatLine = (sbom: Sbom) =>
  `${sanitise(sbom.fileName)}: ${describeFailure(sbom) ?? readSbomState(sbom)}`
