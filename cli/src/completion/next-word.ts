/** What may come next on a command line, by the tree of the commands. */
import type { CommandNode, OptionNode, ValueNode } from './command-tree.ts'

export interface Candidate {
  value: string
  description: string
}

/** The name of what the service knows (`firmware`, `cohort`), and the options that narrow it. */
export interface LookedUpWord {
  lookup: string
  stated: Readonly<Record<string, string>>
}

export type NextWord = { candidates: readonly Candidate[] } | LookedUpWord

const NOTHING: NextWord = { candidates: [] }

/** @param words what was typed, the last one being completed */
export function findNextWord(program: CommandNode, words: readonly string[]): NextWord {
  const typed = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const { command, operands, open, stated, onlyOperands } = walk(program, typed)
  if (open) return listValues(open, stated)
  const assigned = onlyOperands ? undefined : /^(--[\w-]+)=/.exec(last)
  if (assigned) return NOTHING
  if (!onlyOperands && last.startsWith('-')) return { candidates: listOptions(command) }
  if (command.commands.length > 0)
    return operands === 0 ? { candidates: listCommands(command) } : NOTHING
  const operand =
    command.operands[operands] ?? command.operands.findLast(({ isVariadic }) => isVariadic)
  return operand ? listValues(operand, stated) : NOTHING
}

interface CommandLinePosition {
  command: CommandNode
  operands: number
  /** The value that comes next, where an option waits for it. */
  open: ValueNode | undefined
  stated: Record<string, string>
  onlyOperands: boolean
}

function walk(program: CommandNode, words: readonly string[]): CommandLinePosition {
  const at: CommandLinePosition = {
    command: program,
    operands: 0,
    open: undefined,
    stated: {},
    onlyOperands: false,
  }
  for (const word of words) step(at, word)
  return at
}

function step(at: CommandLinePosition, word: string): void {
  if (at.open) {
    at.stated[at.open.name] = word
    at.open = undefined
  } else if (!at.onlyOperands && word === '--') at.onlyOperands = true
  else if (!at.onlyOperands && word.startsWith('-')) at.open = findValueOf(at.command, word)
  else {
    const below = at.command.commands.find((one) => one.name === word)
    // What is asked help about is a command.
    if (below?.name === 'help') return
    if (below && at.operands === 0) at.command = below
    else at.operands += 1
  }
}

function findValueOf(command: CommandNode, flag: string): ValueNode | undefined {
  return command.options.find(({ flags }) => flags.includes(flag))?.value
}

function listCommands(command: CommandNode): Candidate[] {
  return command.commands.map(({ name, description }) => ({ value: name, description }))
}

function listOptions(command: CommandNode): Candidate[] {
  return command.options.filter(isCompleted).map(({ flags: [value = ''], description }) => ({
    value,
    description,
  }))
}

/** A flag of one letter is as long as what completes it. */
const isCompleted = ({ flags, isHidden }: OptionNode) =>
  isHidden !== true && flags[0]?.startsWith('--') === true

/** A name such as `<firmware>` says what is wanted; what takes one of some words lists them. */
function listValues({ name, words }: ValueNode, stated: CommandLinePosition['stated']): NextWord {
  if (words) return { candidates: words.map((value) => ({ value, description: '' })) }
  return { lookup: name, stated }
}
