/** What may come next on a command line, by the tree of the commands. */
import { type Argument, type Command, Help, type Option } from 'commander'
import { listAcceptedWords } from '../option-values.ts'

export interface Candidate {
  value: string
  description: string
}

/** Words that are known here, or the name of what the service knows: `firmware`, `cohort`. */
export type NextWord =
  | { candidates: readonly Candidate[] }
  | { lookup: string; stated: Readonly<Record<string, string>> }

const NOTHING: NextWord = { candidates: [] }
const help = new Help()

/** @param words what was typed, the last one being completed */
export function findNextWord(program: Command, words: readonly string[]): NextWord {
  const typed = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const { command, operands, open, stated, onlyOperands } = walk(program, typed)
  if (open) return listValues(open, stated)
  const assigned = onlyOperands ? undefined : /^(--[\w-]+)=/.exec(last)
  if (assigned) return NOTHING
  if (!onlyOperands && last.startsWith('-')) return { candidates: listOptions(command) }
  if (command.commands.length > 0)
    return operands === 0 ? { candidates: listCommands(command) } : NOTHING
  const { registeredArguments } = command
  const argument =
    registeredArguments[operands] ?? registeredArguments.findLast((one) => one.variadic)
  return argument ? listValues(argument, stated) : NOTHING
}

interface CommandLinePosition {
  command: Command
  operands: number
  /** The option whose value comes next. */
  open: Option | undefined
  stated: Record<string, string>
  onlyOperands: boolean
}

function walk(program: Command, words: readonly string[]): CommandLinePosition {
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
    at.stated[at.open.name()] = word
    at.open = undefined
  } else if (!at.onlyOperands && word === '--') at.onlyOperands = true
  else if (!at.onlyOperands && word.startsWith('-')) at.open = optionThatWaits(at.command, word)
  else {
    const below = at.command.commands.find((one) => one.name() === word)
    if (below && at.operands === 0) at.command = below
    else at.operands += 1
  }
}

function optionThatWaits(command: Command, word: string): Option | undefined {
  return command.options.find(
    ({ long, short, required, optional }) => [long, short].includes(word) && (required || optional),
  )
}

function listCommands(command: Command): Candidate[] {
  return help
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }))
}

function listOptions(command: Command): Candidate[] {
  return help
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []))
}

/** A name such as `<firmware>` says what is wanted; what takes one of some words lists them. */
function listValues(taker: Option | Argument, stated: CommandLinePosition['stated']): NextWord {
  const words = taker.argChoices ?? listAcceptedWords(taker.parseArg)
  if (words) return { candidates: words.map((value) => ({ value, description: '' })) }
  return { lookup: taker.name(), stated }
}
