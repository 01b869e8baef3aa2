/** The operator's commands on the key that signs cursors and links. */
import type { Command } from 'commander'
import { parseDuration } from '../config/backup-settings.ts'
import { rotateSigningKey } from '../features/auth/index.ts'
import { invalid } from '../platform/errors.ts'
import type { CommandMeans } from './sboms.ts'

interface Rotate {
  overlap: string
  now?: boolean
  json?: boolean
}

export function addSigningKeyCommands(
  program: Command,
  { withContext, print }: CommandMeans,
): void {
  program
    .command('signing-key')
    .description('The key that signs links and cursors')
    .command('rotate')
    .description('Sign with a new key 20 seconds from now, without a restart of the service')
    .option('--overlap <time>', 'how long links of the former key stay valid: 24h, 30d', '30d')
    .option('--now', 'links of former keys end when the new key begins')
    .option('--json', 'answer as JSON')
    .action(async ({ overlap, now = false, json }: Rotate) => {
      const overlapMs = now ? 0 : parseDuration(overlap)
      if (overlapMs === undefined)
        throw invalid(`--overlap: ${overlap} is not a time such as 24h or 30d.`)
      const rotated = await withContext((ctx) => rotateSigningKey(ctx, { overlapMs }))
      print(json, {
        beginsAt: rotated.beginsAt.toISOString(),
        formerEndsAt: rotated.formerEndsAt.toISOString(),
      })
    })
}
