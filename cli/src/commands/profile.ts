import type { Command } from 'commander'
import { printDone } from '../done.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import {
  type Profile,
  getProfile,
  readProfiles,
  withoutProfile,
  writeProfiles,
} from '../profiles.ts'
import type { Column } from '../table.ts'

interface Output {
  json?: boolean
  quiet?: boolean
}

export function addProfileCommands(program: Command): void {
  const profile = program.command('profile').description('Logins that are kept on this machine')

  withListOptions(profile.command('list')).description('List the profiles').action(listProfiles)
  naming(profile.command('use'))
    .description('Use a profile from now on, where no other is named')
    .action(use)
  naming(profile.command('remove'))
    .description('Forget a profile; its key stays valid (logout revokes it)')
    .action(remove)
}

function naming(command: Command): Command {
  return command.argument('<profile>', 'its name').option('--json', 'answer as JSON')
}

interface ProfileRow extends Omit<Profile, 'apiKey'> {
  isCurrent: boolean
}

const COLUMNS: readonly Column<ProfileRow>[] = [
  { title: '', value: ({ isCurrent }) => (isCurrent ? '*' : ' ') },
  { title: 'PROFILE', value: ({ name }) => name },
  { title: 'URL', value: ({ url }) => url },
  { title: 'WORKSPACE', value: ({ workspaceName }) => workspaceName },
  { title: 'KEY', value: ({ isLogin }) => (isLogin ? 'of a login' : 'given') },
]

async function listProfiles(options: ListOptions): Promise<void> {
  const { current, profiles } = await readProfiles()
  printListing(options, {
    rows: profiles.map(({ apiKey: _secret, ...shown }) => ({
      ...shown,
      isCurrent: shown.name === current,
    })),
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    noun: 'profile',
    answer: (rows) => ({ profiles: rows }),
  })
}

async function use(name: string, options: Output): Promise<void> {
  const stored = await readProfiles()
  const { url, workspaceName } = getProfile(stored, name)
  await writeProfiles({ ...stored, current: name })
  const answer = { name, url, workspaceName }
  printDone(options, { answer, text: `${name}: in use, ${workspaceName} at ${url}` })
}

async function remove(name: string, options: Output): Promise<void> {
  const stored = await readProfiles()
  getProfile(stored, name)
  await writeProfiles(withoutProfile(stored, name))
  printDone(options, { answer: { name }, text: `${name}: forgotten` })
}
