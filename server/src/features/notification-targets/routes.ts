import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  applyPatch,
  MERGED,
  PATCH_TYPES,
  PatchOf,
  readPrecondition,
} from '../../platform/http/editing.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  askAddressAgain,
  createTarget,
  deleteTarget,
  getTarget,
  listTargets,
  type TargetFields,
  testTarget,
  updateTarget,
} from './service.ts'

const tags = ['Alerts']
const params = defineWorkspaceParams('notificationTargetId')
const PATH = '/notification-targets/:notificationTargetId'

export function registerNotificationTargetRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/notification-targets',
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'createNotificationTarget',
        summary: 'Create a notification target: e-mail addresses that get alerts',
        tags,
        params: WorkspaceParams,
        body: schemas.WriteTargetCommand,
        response: { 201: schemas.NotificationTarget, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createTarget(ctx, { ...path, ...body, actor })),
  )

  app.get(
    '/notification-targets',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listNotificationTargets',
        summary: 'List the notification targets of the workspace, oldest first',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.NotificationTargetList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId } }) => ({
      notificationTargets: await listTargets(ctx.db, workspaceId),
    }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Alerts: read', edits: schemas.ReplaceTargetCommand },
      schema: {
        operationId: 'getNotificationTarget',
        summary: 'Get a notification target with the state of its addresses',
        tags,
        params,
        response: { 200: schemas.NotificationTarget, ...defineProblems(400, 404) },
      },
    },
    ({ params: path }) => getTarget(ctx.db, path.workspaceId, path.notificationTargetId),
  )

  app.put(
    PATH,
    {
      config: { scope: 'Alerts: write', edits: schemas.ReplaceTargetCommand },
      schema: {
        operationId: 'updateNotificationTarget',
        summary: 'Replace a notification target',
        tags,
        params,
        body: schemas.ReplaceTargetCommand,
        response: { 200: schemas.NotificationTarget, ...defineProblems(400, 404) },
      },
    },
    (request) => {
      const { params: path, body, principal } = request
      const { actor } = principal
      return updateTarget(ctx, { ...path, ...body, actor, precondition: readPrecondition(request) })
    },
  )

  app.patch(
    PATH,
    {
      config: { scope: 'Alerts: write', edits: schemas.ReplaceTargetCommand },
      ...MERGED,
      schema: {
        operationId: 'patchNotificationTarget',
        summary: 'Change some fields of a notification target',
        tags,
        consumes: PATCH_TYPES,
        params,
        body: PatchOf('NotificationTargetPatch', schemas.ReplaceTargetCommand),
        response: { 200: schemas.NotificationTarget, ...defineProblems(400, 404) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getTarget(ctx.db, path.workspaceId, path.notificationTargetId),
        write: (command: TargetFields, precondition) =>
          updateTarget(ctx, { ...path, ...command, actor, precondition }),
      })
    },
  )

  app.delete(
    PATH,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'deleteNotificationTarget',
        summary: 'Delete a notification target and remove it from alert rules',
        tags,
        params,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) => {
      await deleteTarget(ctx, { ...path, actor })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${PATH}/test`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'testNotificationTarget',
        summary: 'Send a test mail to the confirmed addresses of a notification target',
        tags,
        params,
        response: { 202: schemas.TestSent, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) =>
      reply.code(202).send(await testTarget(ctx, { ...path, actor })),
  )

  app.post(
    `${PATH}/addresses/confirmations`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'askNotificationAddressAgain',
        summary: 'Ask the reader of an address once more to confirm it',
        description: 'At the earliest ten minutes after the last mail, and five times in all.',
        tags,
        params,
        body: schemas.AskAgainCommand,
        response: { 202: schemas.NotificationTarget, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(202).send(await askAddressAgain(ctx, { ...path, ...body, actor })),
  )
}
