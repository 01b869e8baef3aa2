/** Processor time and memory of the service, its processes and a client, from /proc (Linux). */
import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  pid: number
  parent: number
  isDatabase: boolean
  /** Seconds of a processor. */
  own: number
  /** Of its children that have ended. */
  ended: number
  mebibytes: number
}

/** Clock ticks a second, and KiB of a page, as Linux shows them on all platforms that Node runs on. */
const TICKS = 100
const PAGE_KIBIBYTES = 4

function readProcess(pid: number): Process[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const nameEnd = text.lastIndexOf(')')
    // From the third field of proc_pid_stat(5) on.
    const fields = text.slice(nameEnd + 2).split(' ')
    const seconds = (...places: number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place - 3]), 0) / TICKS
    return [
      {
        pid,
        parent: Number(fields[1]),
        isDatabase: text.slice(0, nameEnd).endsWith('(postgres'),
        own: seconds(14, 15),
        ended: seconds(16, 17),
        mebibytes: (Number(fields[21]) * PAGE_KIBIBYTES) / 1024,
      },
    ]
  } catch {
    // It has ended meanwhile.
    return []
  }
}

function readProcesses(): Process[] {
  const pids = readdirSync('/proc').map(Number)
  return pids.filter((pid) => pid > 0).flatMap(readProcess)
}

function descendantsOf(pid: number, all: readonly Process[]): Process[] {
  const children = all.filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)])
}

export interface Usage {
  /** Seconds of processors so far. */
  seconds: { service: number; helpers: number; database: number; client: number }
  /** Resident memory: of the service, and of its parsers and calculators. */
  mebibytes: { service: number; helpers: number }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

export function readUsage(servicePid: number, clientPid?: number): Usage {
  const all = readProcesses()
  const service = all.find(({ pid }) => pid === servicePid)
  const below = descendantsOf(servicePid, all)
  const database = below.filter(({ isDatabase }) => isDatabase)
  const helpers = below.filter(({ isDatabase }) => !isDatabase)
  return {
    seconds: {
      service: service?.own ?? 0,
      helpers: sum(helpers.map(({ own }) => own)) + (service?.ended ?? 0),
      database: sum(database.map(({ own, ended }) => own + ended)),
      client: all.find(({ pid }) => pid === clientPid)?.own ?? 0,
    },
    mebibytes: {
      service: service?.mebibytes ?? 0,
      helpers: sum(helpers.map(({ mebibytes }) => mebibytes)),
    },
  }
}
