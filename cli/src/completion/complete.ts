import { sanitise } from '../printable.ts'
import { getTerminal } from '../terminal.ts'
import type { CommandNode } from './command-tree.ts'
import { type Candidate, findNextWord, type LookedUpWord } from './next-word.ts'

/** Writes what may stand in the place of the last word. A line that is being typed shows no errors: what fails is not completed. */
export async function completeLine(program: CommandNode, words: readonly string[]): Promise<void> {
  const next = findNextWord(program, words)
  const lines = 'candidates' in next ? next.candidates.map(writeLine) : await recall(words, next)
  const begun = words.at(-1) ?? ''
  const { stdout } = getTerminal()
  for (const line of lines) if (line.startsWith(begun)) stdout.write(`${line}\n`)
}

/** What was answered within the last minute, or else the service's answer. */
async function recall(words: readonly string[], { lookup, stated }: LookedUpWord) {
  const { env } = getTerminal()
  const { findKeptFile, keepAnswer, readKept } = await import('./kept-answers.ts')
  const kept = readKept(env, words)
  if (kept) return kept
  // Found before the service is asked: who logs in meanwhile is not shown this answer.
  const path = findKeptFile(env, words)
  const { lookUp } = await import('./lookup.ts')
  const found = (await lookUp(lookup, stated).catch(() => [])).map(writeLine)
  if (path !== undefined) keepAnswer(env, path, found)
  return found
}

const writeLine = ({ value, description }: Candidate) =>
  `${sanitise(value)}\t${sanitise(description)}`
