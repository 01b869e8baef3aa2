/** The lines of `admin status` about the nodes that live. */
import { type Role, ROLES } from '../config/config.ts'
import { listNodes } from '../nodes/nodes-store.ts'
import type { AppContext } from '../platform/context.ts'
import type { Line } from './status-line.ts'

type Nodes = Awaited<ReturnType<typeof listNodes>>

/** Without them nothing is answered, and nothing accepted is done. There may be no devices that need a gateway. */
const NEEDED: ReadonlySet<Role> = new Set(['api', 'worker'])

export async function describeNodes({ db }: Pick<AppContext, 'db'>): Promise<Line[]> {
  const nodes = await listNodes(db)
  const living = nodes.filter(({ isAlive }) => isAlive)
  const versions = [...new Set(living.map(({ version }) => version))].toSorted()
  const mixed = { name: 'versions', text: `${versions.join(' and ')} run side by side` }
  return [
    ...ROLES.map((role) => describeRole(role, nodes)),
    ...(versions.length > 1 ? [mixed] : []),
    ...living.map(({ host, roles, version, startedAt }) => {
      const since = startedAt.toISOString()
      return { name: 'node', text: `${host} runs ${roles.join(', ')}, ${version}, since ${since}` }
    }),
  ]
}

function describeRole(role: Role, nodes: Nodes): Line {
  const name = `role ${role}`
  const having = nodes.filter(({ roles }) => roles.includes(role))
  const living = having.filter(({ isAlive }) => isAlive).length
  if (living > 0)
    return { name, text: `runs at ${living} ${living === 1 ? 'node' : 'nodes'}`, isFault: false }
  const [last] = having
  const seen = last ? `; last seen at ${last.host} ${last.beatAt.toISOString()}` : ''
  return { name, text: `runs nowhere${seen}`, isFault: NEEDED.has(role) }
}
