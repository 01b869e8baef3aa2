/**
 * Counts requests that were refused to somebody known, until they are recorded. What it keeps is bounded whatever is sent: a flood
 * costs additions, and no more entries than a few attempts.
 */
import type { Actor } from '../../platform/actor.ts'
import type { NodeMemory } from '../../platform/node-memory.ts'

export interface Refusal {
  workspaceId: string
  actor: Actor
  at: Date
  what: RefusedRequest
}

interface RefusedRequest {
  /** The slug of the problem that was answered. */
  problem: string
  /** Method and route, without what its parameters were. */
  request: string
  /** The scope that the route needs. */
  scope?: string | undefined
  /** The workspace that the key asked for in the place of its own. */
  askedFor?: string | undefined
}

export interface RefusalCount {
  /** Its request id is that of the first refusal. */
  actor: Actor
  count: number
  since: Date
  until: Date
  /** By what was refused. Further kinds are in `count` alone. */
  kinds: Map<string, { what: RefusedRequest; count: number }>
}

export interface WorkspaceRefusals {
  workspaceId: string
  counts: RefusalCount[]
}

const MOST_ACTORS = 20
const MOST_KINDS = 10
/** Stands for all actors of a workspace beyond the first ones. */
const FURTHER: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

export class RefusalCounts {
  private workspaces = new Map<string, Map<string, RefusalCount>>()
  private closed: WorkspaceRefusals[] = []

  add({ workspaceId, actor, at, what }: Refusal): void {
    const actors = this.workspaces.get(workspaceId) ?? new Map<string, RefusalCount>()
    this.workspaces.set(workspaceId, actors)
    const counted = this.findCount(actors, actor, at)
    counted.count += 1
    counted.until = at
    countKind(counted, what)
  }

  /** The counts of a workspace that are to be recorded next. What is refused meanwhile belongs to later ones. */
  next(): WorkspaceRefusals | undefined {
    return this.closed[0]
  }

  /** Closes the minute. Where the last one is not recorded yet, as the database is away, the minute goes on. */
  close(): void {
    if (this.closed.length > 0) return
    this.closed = [...this.workspaces].map(([workspaceId, actors]) => ({
      workspaceId,
      counts: [...actors.values()],
    }))
    this.workspaces = new Map()
  }

  /** What `next` gave is recorded. */
  forget(): void {
    this.closed.shift()
  }

  private findCount(actors: Map<string, RefusalCount>, actor: Actor, at: Date): RefusalCount {
    const own = nameActor(actor)
    const isFurther = !actors.has(own) && actors.size >= MOST_ACTORS
    const name = isFurther ? nameActor(FURTHER) : own
    const counted = actors.get(name) ?? {
      actor: isFurther ? { ...FURTHER, requestId: actor.requestId } : actor,
      count: 0,
      since: at,
      until: at,
      kinds: new Map(),
    }
    actors.set(name, counted)
    return counted
  }
}

const nameActor = ({ type, id = '' }: Actor) => `${type} ${id}`

function countKind({ kinds }: RefusalCount, what: RefusedRequest): void {
  const { problem, request, scope = '', askedFor = '' } = what
  const name = [problem, request, scope, askedFor].join(' ')
  const kind = kinds.get(name)
  if (kind) kind.count += 1
  else if (kinds.size < MOST_KINDS) kinds.set(name, { what, count: 1 })
}

/** Those of this node. */
export function getRefusalCounts(memory: NodeMemory): RefusalCounts {
  return memory.of(makeCounts)
}

const makeCounts = () => new RefusalCounts()
