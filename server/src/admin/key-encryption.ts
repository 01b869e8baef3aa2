/** The operator's commands on the key that encrypts secrets in the database. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import type { AppContext } from '../platform/context.ts'
import { createEncryptionKey, parseEncryptionKey } from '../platform/secret-encryption.ts'
import { countSecrets, encryptAgain, listOtherNodes } from '../stored-secrets.ts'
import type { CommandMeans } from './sboms.ts'

interface Options {
  json?: boolean
}

export function addKeyEncryptionCommands(
  program: Command,
  { withContext, print }: CommandMeans,
): void {
  const encryption = program
    .command('key-encryption')
    .description('Encryption of secrets in the database, with PLIMSOLL_ENCRYPTION_KEY')

  encryption
    .command('create')
    .description('Print a new key; nothing else happens')
    .option('--json', 'answer as JSON')
    .action(({ json }: Options) => {
      const key = createEncryptionKey()
      print(json, { key, id: parseEncryptionKey(key)?.id })
    })

  encryption
    .command('status')
    .description('Count secrets by their key; exit code 1 if some are not as the setting says')
    .option('--json', 'answer as JSON')
    .action(async ({ json }: Options) => {
      const status = await withContext(readStatus)
      if (json === true) print(true, { ...status })
      else process.stdout.write(describeStatus(status))
      const { currentKey, secrets, otherNodes } = status
      const isSettled = secrets.every(({ key }) => key === currentKey) && otherNodes.length === 0
      if (!isSettled) process.exitCode = 1
    })

  encryption
    .command('rotate')
    .description(
      'Encrypt all secrets with the first key, or none of them where that is none; also while the service runs',
    )
    .option('--json', 'answer as JSON')
    .action(async ({ json }: Options) => {
      const outcome = await withContext(encryptAgain)
      print(json, { ...outcome })
      if (outcome.unreadable > 0) process.exitCode = 1
    })
}

/** The key `null` stands for none. */
async function readStatus(ctx: AppContext) {
  const counts = [...(await countSecrets(ctx.db))]
  return {
    currentKey: ctx.config.encryptionKeys.currentId ?? null,
    secrets: counts.map(([key = null, count]) => ({ key, count })),
    otherNodes: (await listOtherNodes(ctx)).map(({ host }) => host),
  }
}

function describeStatus({
  currentKey,
  secrets,
  otherNodes,
}: Awaited<ReturnType<typeof readStatus>>) {
  const lines = [
    `first key: ${currentKey ?? 'none'}`,
    ...secrets.map(
      ({ key, count }) => `${key ?? 'not encrypted'}: ${formatCountOf(count, 'secret')}`,
    ),
    ...otherNodes.map((host) => `another first key runs at: ${host}`),
  ]
  return `${lines.join('\n')}\n`
}
