/**
 * What a GET answers a PUT takes: read-only members are ignored. Entity tags tell who would overwrite the change of somebody
 * else, and a merge patch changes some members. A route states in `config.edits` the schema of what is written.
 */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { AppError } from '../errors.ts'
import type { App } from './app.ts'
import { isMembers, type JsonSchema, type Members, withoutReadOnly } from './read-only.ts'
import { Nullable } from './schemas.ts'
import { checkAgainst, compileValidator } from './validation.ts'

/** The schema of an object. Its members are looked up, so it is not typed by them. */
interface Editable {
  properties: object
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The schema of the members that can be written. Answers get an entity tag of these, and `If-Match` is checked. */
    edits?: Editable
  }
}

/** The members of an answer that the schema can write, as JSON has them. */
function pickWritable(edits: Editable, answer: object): Members {
  const sent = JSON.parse(JSON.stringify(answer)) as Members
  const named = Object.entries(sent).filter(([name]) => Object.hasOwn(edits.properties, name))
  return withoutReadOnly(edits as JsonSchema, Object.fromEntries(named)) as Members
}

/** Depends on what can be written alone: a count or a time that moves by itself makes no change a lost one. */
function computeTag(edits: Editable, answer: object): string {
  const text = JSON.stringify(pickWritable(edits, answer), (_name, value: unknown) =>
    isMembers(value) ? Object.fromEntries(Object.entries(value).toSorted(byName)) : value,
  )
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** Throws unless the resource is what the request was made for. To be called when it is locked. */
export type Precondition = (current: object) => void

/** What `If-Match` asks for (RFC 9110 section 13.1.1). undefined: nothing. */
export function readPrecondition({
  headers,
  routeOptions,
}: FastifyRequest): Precondition | undefined {
  const header = headers['if-match']?.trim()
  const { edits } = routeOptions.config
  if (header === undefined || header === '*' || !edits) return undefined
  // Proxies that compress make a tag weak; it still names the same state.
  const tags = new Set(header.split(',').map((tag) => tag.trim().replace(/^W\//, '')))
  return (current) => {
    if (!tags.has(computeTag(edits, current))) throw changedMeanwhile()
  }
}

function changedMeanwhile(): AppError {
  return new AppError(
    'preconditionFailed',
    'changed-meanwhile',
    'It is no longer what If-Match names, so nothing was written. Read it again, and repeat your change.',
  )
}

/** Adds entity tags to the answers of routes that state what they edit. */
export function installEntityTags(app: App): void {
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const { edits } = request.routeOptions.config
    if (edits && reply.statusCode === 200 && isMembers(payload))
      void reply.header('etag', computeTag(edits, payload))
    done(null, payload)
  })
}

/** RFC 7396 section 2. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch
  const merged = new Map(Object.entries(isMembers(target) ? target : {}))
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  return Object.fromEntries(merged)
}

/** At the top, null stays: the schema says whether it clears the member or is a fault. */
function patched(current: Members, patch: Members): Members {
  const cleared = Object.entries(patch).filter(([, value]) => value === null)
  return { ...(mergePatch(current, patch) as Members), ...Object.fromEntries(cleared) }
}

/** The body of a PATCH, for the API description: some members of the command. `applyPatch` checks it. */
export function PatchOf(name: string, command: TObject) {
  const { properties, ...options } = command
  const described = {
    ...options,
    $id: name,
    required: [],
    properties: patchMembers(properties),
    description: 'A merge patch (RFC 7396): members that are left out stay, null clears one',
  }
  return described
}

/** Read-only ones stay: they are taken, and ignored. */
function patchMembers(properties: TObject['properties']): TObject['properties'] {
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, withMembersToLeaveOut(member)]),
  )
}

/**
 * An object in the patch is merged as well: what it has to have, it may have already, and null deletes what it need not
 * have.
 */
function withMembersToLeaveOut(member: Schema): Schema {
  const { anyOf, patternProperties, properties, required = [] } = member
  if (anyOf) return { ...member, anyOf: anyOf.map(withMembersToLeaveOut) }
  if (patternProperties)
    return { ...member, patternProperties: withNull(patternProperties, new Set()) }
  if (!properties) return member
  const members = withNull(properties, new Set(required))
  const $id = member.$id && `${member.$id}Patch`
  return { ...member, $id, properties: members, required: [], says: {} }
}

/** What of a schema says which members a value has. Kinds of TypeBox are lost where a schema is copied. */
interface Schema extends TSchema {
  $id?: string | undefined
  type?: string
  enum?: readonly unknown[]
  anyOf?: Schema[]
  patternProperties?: Record<string, Schema>
  properties?: Record<string, Schema>
  required?: readonly string[]
  says?: object
}

function withNull(members: Record<string, Schema>, besides: ReadonlySet<string>) {
  const entries = Object.entries(members)
  return Object.fromEntries<TSchema>(
    entries.map(([name, one]) => {
      const member = withMembersToLeaveOut(one)
      return [name, besides.has(name) ? member : orNull(member)]
    }),
  )
}

function orNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema
  if (anyOf?.some((one) => one.type === 'null')) return schema
  if (anyOf) return { ...schema, anyOf: [...anyOf, Type.Null()] }
  const takesAll = type === undefined && values === undefined
  return takesAll ? schema : Nullable(schema)
}

/** The media types of such a body. */
export const PATCH_TYPES = ['application/merge-patch+json', 'application/json']

/** The options of a PATCH route besides its schema: the body is checked when it is merged. */
export const MERGED = {
  validatorCompiler: ((part) =>
    part.httpPart === 'body' ? requireObject : compileValidator(part)) as typeof compileValidator,
}

const requireObject = compileValidator({
  schema: Type.Record(Type.String(), Type.Unknown()),
  method: 'PATCH',
  url: '',
  httpPart: 'body',
})

interface PatchHandlers<Answer extends object> {
  read: () => Promise<Answer>
  /** Gets the whole command. */
  write: (command: never, precondition: Precondition) => Promise<Answer>
}

const MOST_ATTEMPTS = 5

/** Reads, merges and writes, and begins again when somebody else was faster, unless `If-Match` forbids that. */
export async function applyPatch<Answer extends object>(
  request: FastifyRequest,
  { read, write }: PatchHandlers<Answer>,
): Promise<Answer> {
  const { edits } = request.routeOptions.config
  if (!edits) throw new Error('The route does not say what it edits.')
  const stated = readPrecondition(request)
  for (let attempt = 1; ; attempt += 1) {
    const current = await read()
    stated?.(current)
    const command = checkAgainst(
      edits,
      patched(pickWritable(edits, current), request.body as Members),
    )
    const tag = computeTag(edits, current)
    const isSame = (now: object) => {
      if (computeTag(edits, now) !== tag) throw changedMeanwhile()
    }
    try {
      return await write(command as never, isSame)
    } catch (error) {
      const mayRepeat = !stated && attempt < MOST_ATTEMPTS
      if (!mayRepeat || !(error instanceof AppError) || error.kind !== 'preconditionFailed')
        throw error
    }
  }
}
