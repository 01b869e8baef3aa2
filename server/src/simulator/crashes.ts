/** Crashes of simulated devices: a few faults that every version has, and one that came with this version. */
import { createHash } from 'node:crypto'
import type { DeviceCrash } from '../formats/device-messages/model.ts'
import { drawChance } from './chance.ts'

interface SimulatedFault {
  reason: string
  thread: string
  /** Names of functions and their places in the source, the innermost first. */
  calls: readonly SimulatedCall[]
}

interface SimulatedCall {
  function: string
  file: string
  line: number
}

const call = (name: string, file: string, line: number): SimulatedCall => ({
  function: name,
  file,
  line,
})

const MAIN_LOOP = call('modem_thread', 'src/modem/thread.c', 61)
const STANDING: readonly SimulatedFault[] = [
  {
    reason: 'HardFault',
    thread: 'modem',
    calls: [
      call('at_parse_line', 'src/modem/at.c', 212),
      call('modem_receive', 'src/modem/modem.c', 88),
      MAIN_LOOP,
    ],
  },
  {
    reason: 'watchdog',
    thread: 'storage',
    calls: [
      call('flash_wait_ready', 'src/storage/flash.c', 47),
      call('journal_append', 'src/storage/journal.c', 130),
      call('storage_thread', 'src/storage/thread.c', 39),
    ],
  },
]
const NEW_ONES: readonly SimulatedFault[] = [
  {
    reason: 'UsageFault: division by zero',
    thread: 'sensors',
    calls: [
      call('average_of', 'src/sensors/average.c', 24),
      call('sensors_sample', 'src/sensors/sensors.c', 91),
      call('sensors_thread', 'src/sensors/thread.c', 33),
    ],
  },
  {
    reason: 'assert: queue is not full',
    thread: 'modem',
    calls: [
      call('queue_put', 'src/lib/queue.c', 58),
      call('modem_send', 'src/modem/modem.c', 143),
      MAIN_LOOP,
    ],
  },
  {
    reason: 'BusFault',
    thread: 'tls',
    calls: [
      call('tls_free_session', 'src/net/tls.c', 310),
      call('tls_close', 'src/net/tls.c', 352),
      call('net_thread', 'src/net/thread.c', 72),
    ],
  },
]

/** As long as those that linkers write by default. */
const BUILD_ID_DIGITS = 40

/** The id of the simulated build of a version. */
export function createSimulatedBuildId(slug: string, version: string): string {
  return createHash('sha256').update(`${slug}@${version}`).digest('hex').slice(0, BUILD_ID_DIGITS)
}

function listFaults(slug: string, version: string): readonly SimulatedFault[] {
  const drawn = NEW_ONES[Math.floor(drawChance(slug, version, 'fault') * NEW_ONES.length)]
  return drawn ? [...STANDING, drawn] : STANDING
}

/** Where code of a Cortex-M usually begins. */
const CODE = 0x0800_0000

/** Behind the call, where the function goes on; each build has its functions at other places. */
function placeOf({ function: name }: SimulatedCall, buildId: string): number {
  return CODE + 4 * Math.floor(drawChance(buildId, name) * 0x4_0000) + 4
}

const hex = (address: number) => `0x${address.toString(16)}`

/** What addr2line would say of the simulated build. */
export function listSimulatedLines(
  slug: string,
  version: string,
): { address: string; frames: SimulatedCall[] }[] {
  const buildId = createSimulatedBuildId(slug, version)
  return listFaults(slug, version).flatMap(({ calls }) =>
    calls.map((one, index) => ({
      // The program counter as it is; of return addresses one byte before, where the call stands.
      address: hex(placeOf(one, buildId) - (index === 0 ? 0 : 1)),
      frames: [one],
    })),
  )
}

interface CrashDraw {
  slug: string
  version: string
  /** What tells this crash from others of the simulation. */
  words: string
}

export function drawCrash({ slug, version, words }: CrashDraw): DeviceCrash {
  const buildId = createSimulatedBuildId(slug, version)
  const faults = listFaults(slug, version)
  // The first fault is the usual one: 1/2, 1/3 and 1/6 of the crashes.
  const draw = drawChance(words, 'fault')
  const fault = (draw < 1 / 2 ? faults[0] : draw < 5 / 6 ? faults[1] : faults[2]) ?? faults[0]
  if (!fault) throw new Error('no fault is simulated')
  const [pc = CODE, ...returns] = fault.calls.map((one) => placeOf(one, buildId))
  return {
    reason: fault.reason,
    slug,
    pc: hex(pc),
    lr: hex((returns[0] ?? CODE) + 1),
    returnAddresses: returns.map((address) => hex(address + 1)),
    thread: fault.thread,
    buildId,
  }
}
