/** Reads crashes one by one: one that is malformed takes nothing else with it. */
import { normaliseBuildId } from '../build-id.ts'
import { cleanName, findNameFault } from '../one-line-name.ts'
import type { Static } from 'typebox'
import { createChecker, isObject, removeNulls } from './check.ts'
import { type Fault, malformed, MalformedMessage } from './malformed.ts'
import type { DeviceCrash } from './model.ts'
import { LooseCrashArray, LooseCrashList, LooseCrashWire } from './schemas.ts'
import { readTime } from './time.ts'

const checkArray = createChecker(LooseCrashArray)
const checkList = createChecker(LooseCrashList)
const checkCrash = createChecker(LooseCrashWire)

/** Throws nothing: what cannot be read is a fault. */
export function readCrashes(
  value: unknown,
  place: string,
): { crashes: DeviceCrash[]; malformedCount: number; faults: Fault[] } {
  const crashes: DeviceCrash[] = []
  const faults: Fault[] = []
  let malformedCount = 0
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      malformedCount += 1
      for (const fault of error.faults) faults.push(fault)
    }
  }
  attempt(() => {
    const list = Array.isArray(value)
      ? { crashes: checkArray(value, place), runId: undefined, at: place }
      : { runId: undefined, ...readList(value, place), at: `${place}/crashes` }
    for (const [index, crash] of list.crashes.entries())
      attempt(() => crashes.push(readCrash(crash, `${list.at}/${index}`, list.runId)))
  })
  return { crashes, malformedCount, faults }
}

function readList(value: unknown, place: string) {
  if (!isObject(value)) return checkList(value, place)
  const { crashes = null, ...others } = value
  const list = removeNulls(others, place)
  return checkList(crashes === null ? list : { ...list, crashes }, place)
}

/** What the firmware only shows to people may hold anything after a fault: what cannot be stored of it is left out. */
const SHOWN_TEXTS = ['reason', 'thread', 'buildId'] as const

function withStorableTexts(value: unknown): unknown {
  if (!isObject(value)) return value
  const crash = { ...value }
  for (const name of SHOWN_TEXTS) {
    const text = crash[name]
    if (typeof text !== 'string' || text === '') continue
    const storable = text.toWellFormed().replaceAll('\u0000', '')
    if (storable === '') delete crash[name]
    else crash[name] = storable
  }
  return crash
}

function readCrash(value: unknown, place: string, listRunId: string | undefined): DeviceCrash {
  const crash = checkCrash(removeNulls(withStorableTexts(value), place), place)
  const { reason, slug, sequence, runId = listRunId, timestamp } = crash
  const name = readVisible(reason)
  if (name === '') throw malformed('has no visible character', `${place}/reason`)
  const found: DeviceCrash = { reason: name, ...readAddresses(crash, place) }
  const thread = readVisible(crash.thread ?? '')
  const buildId = readVisible(crash.buildId ?? '')
  if (thread !== '') found.thread = thread
  if (buildId !== '') found.buildId = normaliseBuildId(buildId)
  if (slug !== undefined) found.slug = slug
  if (timestamp !== undefined) found.timestamp = readTime(timestamp, place)
  if (sequence !== undefined) found.sequence = sequence
  if (runId !== undefined) found.runId = runId
  return found
}

/** Empty where nothing of it can be seen. */
function readVisible(text: string): string {
  const name = cleanName(text)
  return findNameFault(name, Infinity) === undefined ? name : ''
}

type Addresses = Pick<DeviceCrash, 'pc' | 'lr' | 'returnAddresses' | 'loadAddress'>

function readAddresses(crash: Static<typeof LooseCrashWire>, place: string): Addresses {
  const found: Addresses = {}
  for (const name of ['pc', 'lr', 'loadAddress'] as const)
    if (crash[name] !== undefined) found[name] = readAddress(crash[name], `${place}/${name}`)
  if (crash.returnAddresses)
    found.returnAddresses = crash.returnAddresses.map((one, at) =>
      readAddress(one, `${place}/returnAddresses/${at}`),
    )
  return found
}

function readAddress(value: unknown, place: string): string {
  if (typeof value === 'string' && /^(0x)?[0-9a-f]{1,16}$/i.test(value))
    return `0x${BigInt(`0x${value.replace(/^0x/i, '')}`).toString(16)}`
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return `0x${value.toString(16)}`
  throw malformed(
    'is not an address: hexadecimal digits such as "0x0800abcd", of up to 64 bits, or an integer from 0 to 2^53 - 1',
    place,
  )
}
