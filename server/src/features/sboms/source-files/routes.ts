import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  Shape,
  Timestamp,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { openBody } from '../../../platform/http/body-digest.ts'
import { leaveBodiesUnread, STREAMED } from '../../../platform/http/streamed-body.ts'
import { deleteSourceFiles, readSourceFiles, replaceSourceFiles } from './service.ts'

/** For the API description only: the list is read as a stream. */
const SourceFilesBody = {
  content: {
    'text/plain': { schema: Type.String({ examples: ['net/core/dev.c\nfs/ext4/inode.c'] }) },
  },
}

const SourceFilesReplaced = Shape('SourceFilesReplaced', {
  componentId: Type.String(),
  fileCount: Type.Integer({ description: 'Number of different source files' }),
  ignoredCount: Type.Integer({
    description: 'Lines that do not name a compiled file: headers, make files',
  }),
  uploadedAt: Timestamp,
})

const SourceFilesText = Type.String({ description: 'One path per line' })

const tags = ['SBOMs']
const path = '/sboms/:sbomId/components/:componentId/source-files'
const ComponentParams = defineWorkspaceParams('sbomId', 'componentId')

export function registerSourceFileRoutes(app: App, ctx: AppContext): void {
  void app.register((upload: App, _options, done) => {
    uploadRoute(upload, ctx)
    done()
  })

  app.get(
    path,
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'getComponentSourceFiles',
        summary:
          'The source files a component was compiled from: the uploaded list, else that of its SBOM',
        tags,
        params: ComponentParams,
        produces: ['text/plain'],
        response: {
          200: { content: { 'text/plain': { schema: SourceFilesText } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params }, reply) =>
      reply.type('text/plain; charset=utf-8').send(await readSourceFiles(ctx, params)),
  )

  app.delete(
    path,
    {
      config: { scope: 'SBOMs: write' },
      schema: {
        operationId: 'deleteComponentSourceFiles',
        summary: 'Delete the uploaded list of source files; that of the SBOM is in force again',
        tags,
        params: ComponentParams,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteSourceFiles(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}

function uploadRoute(app: App, ctx: AppContext): void {
  leaveBodiesUnread(app)
  app.put(
    path,
    {
      config: { scope: 'SBOMs: write' },
      ...STREAMED,
      schema: {
        operationId: 'replaceComponentSourceFiles',
        summary: 'Upload the source files a component was compiled from',
        description:
          'Send text/plain, one path per line, at most 16 MiB. If the records of a finding place the vulnerable code in files that are not in the list, the finding is proposed as not affected (vulnerable_code_not_present). The list must name every file the compiler read, including included files. It applies to the package of the component in this SBOM.',
        tags,
        consumes: ['text/plain'],
        params: ComponentParams,
        body: SourceFilesBody,
        response: { 200: SourceFilesReplaced, ...defineProblems(400, 404, 409, 413) },
      },
    },
    (sent) => {
      const { params, headers, principal } = sent
      const request = { headers, body: openBody(sent), fileName: undefined }
      return replaceSourceFiles(ctx, { ...params, actor: principal.actor, request })
    },
  )
}
