/** Asks before what cannot be taken back. */
import type { Command } from 'commander'
import { askLine, isInteractive } from './ask.ts'
import { usageError } from './failure.ts'

export interface ConfirmOptions {
  yes?: boolean
}

/** The option of every command that asks. */
export function withConfirmation(command: Command): Command {
  return command.option('-y, --yes', 'do not ask; needed where nobody can be asked')
}

/** Refuses where nobody can answer: a script has to say --yes. */
export async function confirm(question: string, { yes }: ConfirmOptions): Promise<void> {
  if (yes) return
  if (!isInteractive())
    throw usageError(`${question} Nobody can be asked here: repeat it with --yes.`)
  const answer = (await askLine(`${question} [y/N]`)) ?? ''
  if (!/^y(?:es)?$/i.test(answer.trim())) throw usageError('Nothing was changed.')
}
