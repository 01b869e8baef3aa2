/** Shows the progress of an upload on stderr: a redrawn line on a terminal, one line per step in a log. */
import type { Sbom } from '../../api-client/src/index.ts'
import { sanitise } from './printable.ts'
import type { Output } from './table.ts'
import { SBOM_STATES, readSbomState } from './wait.ts'

export interface Progress {
  sent: (sentBytes: number, totalBytes: number) => void
  states: (sboms: readonly Sbom[]) => void
  /** Ends the line, so that the next output begins on a new one. */
  end: () => void
}

export function createProgress(stream: Output): Progress {
  return stream.isTTY ? redrawn(stream) : logged(stream)
}

const REDRAW_EVERY_MS = 100

function redrawn(stream: Output): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY
  let isOpen = false
  const draw = (line: string) => {
    drawnAt = performance.now()
    isOpen = true
    // Returns to the beginning of the line and clears it (ECMA-48, EL). Terminals of pipelines may report 0 columns.
    stream.write(`\r\u001b[2K${line.slice(0, Math.max(20, (stream.columns || 80) - 1))}`)
  }
  return {
    sent: (sent, total) => {
      if (sent === total || performance.now() - drawnAt >= REDRAW_EVERY_MS)
        draw(`Uploading ${bar(share(sent, total))} ${describeSent(sent, total)}`)
    },
    states: (sboms) => draw(`${bar(doneShare(sboms))} ${countStates(sboms)}`),
    end: () => {
      if (isOpen) stream.write('\n')
      isOpen = false
    },
  }
}

function logged(stream: Output): Progress {
  const last = new Map<string, string>()
  let tenths = 0
  return {
    sent: (sent, total) => {
      if (sent === 0) stream.write(`Uploading ${megabytes(total)}\n`)
      const now = Math.floor(10 * share(sent, total))
      if (total >= LARGE_BYTES && now > tenths) stream.write(`${describeSent(sent, total)}\n`)
      tenths = now
    },
    states: (sboms) => {
      for (const sbom of sboms) {
        const state = readSbomState(sbom)
        if (last.get(sbom.id) !== state) stream.write(`${sanitise(sbom.fileName)}: ${state}\n`)
        last.set(sbom.id, state)
      }
    },
    end: () => undefined,
  }
}

const BAR_WIDTH = 24

function bar(part: number): string {
  const full = Math.round(part * BAR_WIDTH)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}]`
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.min(1, part / whole)
}

function amount(sent: number, total: number): string {
  return `${Math.floor(share(sent, total) * 100)}% of ${megabytes(total)}`
}

/** It takes minutes: a log says how far it is. */
const LARGE_BYTES = 1_000_000_000

/** The service puts the parts of a large file together before it answers the last one. */
const describeSent = (sent: number, total: number): string =>
  `${amount(sent, total)}${sent === total && total >= LARGE_BYTES ? ', the service stores it' : ''}`

function megabytes(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** An SBOM that is being matched is half done, since matching follows parsing. */
function doneShare(sboms: readonly Sbom[]): number {
  const done = { parsing: 0, matching: 0.5, ready: 1, failed: 1 }
  return share(
    sboms.reduce((sum, sbom) => sum + done[readSbomState(sbom)], 0),
    sboms.length,
  )
}

function countStates(sboms: readonly Sbom[]): string {
  const counts = SBOM_STATES.map((state) => ({
    state,
    count: sboms.filter((sbom) => readSbomState(sbom) === state).length,
  }))
  return counts
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ')
}
