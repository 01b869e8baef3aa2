import { type Command, Help } from 'commander'
import { withListOptions } from '../listing.ts'
import { COMMON_OPTIONS } from '../common-options.ts'

const MORE = `
Options come before the environment, and the environment before a profile.

Environment:
  PLIMSOLL_DEBUG=1       say where in the code a fault of plimsoll is
  NO_COLOR=1             write without colours`

const help = new Help()
const NAME = 'options'

/** The one page of what commands have in common; the help of each leads to it. */
export function addOptionsCommand(program: Command): void {
  const page = withListOptions(program.command(NAME))
    .description('Show the options that commands have in common')
    .usage('')
    .configureHelp({ visibleOptions: (of) => help.visibleOptions(of).filter(isCommon) })
    .addHelpText('after', MORE)
  page.action(() => page.outputHelp())
}

const isCommon = ({ helpGroupHeading }: { helpGroupHeading?: string | undefined }) =>
  helpGroupHeading === COMMON_OPTIONS
