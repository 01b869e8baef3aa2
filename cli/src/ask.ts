/** Asks the person at the terminal for a line. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { sanitise } from './printable.ts'
import { getTerminal } from './terminal.ts'

/** Somebody can be asked here. */
export function isInteractive(): boolean {
  const { stdin, stderr } = getTerminal()
  return stdin.isTTY === true && stderr.isTTY === true
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** @returns undefined when the person ends the input instead. A hidden answer is not shown while it is typed. */
export function askLine(question: string, { isHidden = false } = {}): Promise<string | undefined> {
  const { stdin, stderr } = getTerminal()
  const output = isHidden ? nowhere() : stderr
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin, output, terminal: isHidden })
    stderr.write(`${sanitise(question)} `)
    lines.once('line', (line) => {
      if (isHidden) stderr.write('\n')
      resolve(line)
      lines.close()
    })
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => resolve(undefined))
  })
}
