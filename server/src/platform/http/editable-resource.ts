/** The routes of a resource that people edit: it is read, replaced, changed in part and deleted under one path. */
import type { FastifyInstance } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Actor } from '../actor.ts'
import type { Answer, App } from './app.ts'
import {
  applyPatch,
  MERGED,
  PATCH_TYPES,
  PatchOf,
  type Precondition,
  readPrecondition,
} from './editing.ts'
import { defineProblems } from './schemas.ts'

interface Operation {
  operationId: string
  summary: string
  description?: string
  /** 409 is among its answers. */
  mayConflict?: boolean
}

/** Whoever asks. */
interface Asking {
  actor: Actor
  hasSecondFactor: boolean
}

interface Editing {
  actor: Actor
  precondition: Precondition | undefined
}

interface EditableResource<Params extends TObject, Command extends TObject, Shown extends TSchema> {
  path: string
  tags: string[]
  /** Its scopes are this with `: read` and `: write`. */
  scope: string
  params: Params
  /** What can be written. */
  command: Command
  answer: Shown
  get: Operation
  put?: Operation
  /** `name`: of its body, in the API description. */
  patch: Operation & { name: string }
  delete?: Operation & {
    /** An API key does not delete it. */
    needsPerson?: 'or terminal'
    remove: (removal: Static<Params> & { actor: Actor }) => Promise<unknown>
  }
  read: (path: Static<Params>) => Promise<Answer<Static<Shown>>>
  write: (
    change: Static<Params> & Static<Command> & Editing,
    by: Asking,
  ) => Promise<Answer<Static<Shown>>>
}

type Resource = EditableResource<TObject, TObject, TSchema>

export function registerEditable<
  Params extends TObject,
  Command extends TObject,
  Shown extends TSchema,
>(app: App, given: EditableResource<Params, Command, Shown>): void {
  // `read` and `write` are checked against the schemas where they are given. Here the schemas are not known.
  const routes = app as unknown as FastifyInstance
  const resource = given as unknown as Resource
  const { path, scope, command, answer, read, put } = resource
  routes.get(
    path,
    {
      config: { scope: `${scope}: read`, edits: command } as object,
      schema: describe(resource, resource.get, { 200: answer }),
    },
    ({ params }) => read(params as PathParams),
  )
  if (put) registerPut(routes, resource, put)
  registerPatch(routes, resource)
  if (!resource.delete) return
  const { remove, needsPerson, ...operation } = resource.delete
  routes.delete(
    path,
    {
      config: { scope: `${scope}: write`, ...(needsPerson && { needsPerson }) } as object,
      schema: describe(resource, operation, { 204: Type.Null({ description: 'Deleted' }) }),
    },
    async ({ params, principal: { actor } }, reply) => {
      await remove({ ...(params as PathParams), actor })
      return reply.code(204).send(null)
    },
  )
}

type PathParams = Static<TObject>

function describe(
  { tags, params }: Resource,
  { mayConflict = false, ...operation }: Operation,
  success: object,
) {
  const problems = defineProblems(400, 404, ...(mayConflict ? [409] : []))
  return { ...operation, tags, params, response: { ...success, ...problems } }
}

const createWriteConfig = (resource: Resource) =>
  ({ scope: `${resource.scope}: write`, edits: resource.command }) as object

function registerPut(routes: FastifyInstance, resource: Resource, put: Operation): void {
  const { path, command, answer, write } = resource
  const schema = { ...describe(resource, put, { 200: answer }), body: command }
  routes.put(path, { config: createWriteConfig(resource), schema }, (request) => {
    const { params, body, principal } = request
    const change = { ...(params as PathParams), ...(body as Static<TObject>) }
    const precondition = readPrecondition(request)
    return write({ ...change, actor: principal.actor, precondition }, principal)
  })
}

function registerPatch(routes: FastifyInstance, resource: Resource): void {
  const { path, command, answer, read, write } = resource
  const { name, ...patch } = resource.patch
  const body = PatchOf(name, command)
  const schema = { ...describe(resource, patch, { 200: answer }), consumes: PATCH_TYPES, body }
  routes.patch(path, { config: createWriteConfig(resource), ...MERGED, schema }, (request) => {
    const { params, principal } = request
    const of = params as PathParams
    return applyPatch(request, {
      read: () => read(of) as Promise<object>,
      write: (merged: Static<TObject>, precondition) =>
        write(
          { ...of, ...merged, actor: principal.actor, precondition },
          principal,
        ) as Promise<object>,
    })
  })
}
