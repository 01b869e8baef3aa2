/** Whether a binary of this machine is signed by one of these keys and states what it should, before anybody uploads it. */
import { type Command, InvalidArgumentError } from 'commander'
import { EXIT } from '../exit-codes.ts'
import { collect } from '../option-values.ts'
import type { CheckOptions } from '../image-check.ts'
import { withConnection } from '../session.ts'

export function addArtifactCheck(artifact: Command): void {
  withConnection(artifact.command('check'))
    .description(
      'Say without a service who signed a binary and what it states, and fail unless a key that you trust signed it',
    )
    .argument('<file>', 'the binary')
    .option(
      '--keys <path>',
      'file or folder with the keys and certificates that you trust; may be repeated',
      collect,
      [],
    )
    .option('--workspace-keys', 'trust those of the workspace, too, which asks the service')
    .option(
      '--signature <file>',
      'a signature beside the binary, of minisign, cosign or openssl; may be repeated',
      collect,
      [],
    )
    .option('--name <version>', 'fail unless it states this version')
    .option(
      '--security-counter <number>',
      'fail if its security counter is lower, or it states none',
      readCounter,
    )
    .option('--allow-test-key', 'do not fail where a published test key signed it')
    .addHelpText('after', HELP)
    // The formats are loaded by this command alone.
    .action(async (path: string, options: CheckOptions) => {
      const { checkImage } = await import('../image-check.ts')
      await checkImage(path, options)
    })
}

const HELP = `
The file is read by places and never leaves this machine, and nothing of it is run. --workspace <id> asks for the keys of that
workspace, as --workspace-keys does. It ends with ${EXIT.ok} where a trusted key signed it and all that was asked holds, and with
${EXIT.imageNotVerified} otherwise: also where it could not be judged.`

const MOST_COUNTER = 0xffff_ffff

/** MCUboot keeps it in 32 bits. */
function readCounter(text: string): number {
  const number = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN
  if (!(number <= MOST_COUNTER))
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${MOST_COUNTER}.`)
  return number
}
