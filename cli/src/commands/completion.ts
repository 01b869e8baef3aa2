import { Argument, type Command } from 'commander'
import { completeLine } from '../completion/complete.ts'
import { describeCommands } from '../completion/describe-commands.ts'
import { SCRIPTS, type Shell, SHELLS } from '../completion/scripts.ts'
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
    .action((words: string[]) => completeLine(describeCommands(program), words))
}
