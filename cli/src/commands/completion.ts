import { Argument, type Command } from 'commander'
import { findKeptFile, keepAnswer } from '../completion/kept-answers.ts'
import { lookUp } from '../completion/lookup.ts'
import { SCRIPTS, type Shell, SHELLS } from '../completion/scripts.ts'
import { type Candidate, findNextWord } from '../completion/wanted.ts'
import { printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { getTerminal } from '../terminal.ts'

export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('Print what makes a shell complete commands, options and names')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(SHELLS))
    .action((shell: Shell) => {
      getTerminal().stdout.write(SCRIPTS[shell])
    })
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .action((words: string[]) => complete(program, words))
}

/** A line that is being typed shows no errors: what fails is not completed. */
async function complete(program: Command, words: readonly string[]): Promise<void> {
  const { env } = getTerminal()
  // Found before the service is asked: who logs in meanwhile is not shown this answer.
  const path = findKeptFile(env, words)
  const found = await candidatesFor(program, words).catch(() => [])
  const lines = found.map(
    ({ value, description }) => `${sanitise(value)}\t${sanitise(description)}`,
  )
  const begun = words.at(-1) ?? ''
  for (const line of lines) if (line.startsWith(begun)) printLine(line)
  if (path !== undefined) keepAnswer(env, path, lines)
}

async function candidatesFor(
  program: Command,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  const wanted = findNextWord(program, words)
  return 'candidates' in wanted ? wanted.candidates : lookUp(wanted.lookup, wanted.stated)
}
