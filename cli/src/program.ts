import { Command, CommanderError, Help, type Option } from 'commander'
import { addCommands } from './command-groups.ts'
import { describeFailure } from './failure.ts'
import { complain } from './print.ts'
import { withReplacement } from './replacement.ts'
import { COMMON_OPTIONS } from './common-options.ts'
import { runInTerminal, type Terminal, getTerminal } from './terminal.ts'
import { readVersion } from './version.ts'

/** Runs the client as its process would, and returns the exit code. */
export function run(args: readonly string[], given: Terminal): Promise<number> {
  return runInTerminal(given, async () => {
    try {
      const program = await createProgram(args)
      await program.parseAsync(withReplacement(args), { from: 'user' })
    } catch (error) {
      const { exitCode, lines } =
        error instanceof CommanderError
          ? { exitCode: error.exitCode, lines: [] }
          : describeFailure(error)
      for (const line of lines) complain(line)
      getTerminal().exitCode = exitCode
    }
  })
}

/** The commands that the arguments can mean; without arguments, all. */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('plimsoll')
    .description('What is inside your firmware, and which of it is vulnerable')
    // Valid only before a command: after one, --version names a firmware version.
    .enablePositionalOptions()
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => getTerminal().stdout.write(text),
      writeErr: (text) => getTerminal().stderr.write(text),
    })
    .configureHelp({ visibleOptions: (command) => help.visibleOptions(command).filter(isOwn) })
    .addHelpText('afterAll', ({ command }) =>
      command.options.every(isOwn) || command.name() === 'options' ? '' : MORE_OPTIONS,
    )
  await addCommands(program, args)
  explainUsage(program, program.name())
  return program
}

const VERSION_NAMES = new Set(['version', 'older', 'newer'])

/** After an error of usage: how the command is written. */
function explainUsage(command: Command, path: string): void {
  const takesVersion = command.registeredArguments.some((one) => VERSION_NAMES.has(one.name()))
  const example = takesVersion ? '; a version is written as gateway@2.4.1' : ''
  command.showHelpAfterError(
    `Usage: ${path} ${command.usage()}${example}. Run it with --help to see its options.`,
  )
  for (const below of command.commands) explainUsage(below, `${path} ${below.name()}`)
}

const help = new Help()
const isOwn = ({ helpGroupHeading }: Option) => helpGroupHeading !== COMMON_OPTIONS
const MORE_OPTIONS = '\nOptions of all commands, such as --json and --url: plimsoll help options'
