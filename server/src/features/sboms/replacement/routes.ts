import { Type } from 'typebox'
import { SBOM_FORMATS } from '../../../formats/sboms/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  Nullable,
  OneOf,
  defineProblems,
  Shape,
  Timestamp,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { ParsingState, Replace } from '../schemas.ts'
import { listReplacedSboms, previewReplacement } from './service.ts'

const tags = ['SBOMs']
const FirmwareVersionParams = defineWorkspaceParams('firmwareVersionId')

const Texts = Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 100 })

const PreviewCommand = Shape(
  'PreviewCommand',
  {
    replace: Replace,
    fileNames: Type.Optional(Texts),
    documents: Type.Optional(
      Type.Array(Type.String({ maxLength: 2000 }), {
        maxItems: 100,
        description:
          'What the documents call themselves: `urn:cdx:<uuid>/<version>` of CycloneDX, the documentNamespace of SPDX 2',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ replace: 'file', fileNames: ['core-image-minimal.spdx.json'] }],
  },
)

const Preview = Shape('SbomReplacementPreview', {
  sboms: Type.Array(
    Type.Object({
      id: Type.String(),
      fileName: Type.String(),
      parsingState: ParsingState,
      componentCount: Type.Integer(),
      createdAt: Timestamp,
    }),
    { description: 'SBOMs that would go' },
  ),
  remainingSbomCount: Type.Integer({ description: 'SBOMs that would stay beside the upload' }),
})

const ReplacedList = Shape('ReplacedSbomList', {
  sboms: Type.Array(
    Shape('ReplacedSbom', {
      id: Type.String(),
      fileName: Type.String(),
      format: Nullable(OneOf('SbomFormat', SBOM_FORMATS)),
      specVersion: Nullable(Type.String()),
      componentCount: Type.Integer(),
      sizeBytes: Type.Integer(),
      sha256: Type.String(),
      createdAt: Timestamp,
      replacedAt: Timestamp,
      replacedById: Type.String({ description: 'The SBOM that took its place' }),
      keptUntil: Timestamp,
    }),
  ),
})

export function registerReplacementRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/firmware-versions/:firmwareVersionId/sboms/replacement-preview',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'previewSbomReplacement',
        summary: 'The SBOMs that an upload would replace',
        description:
          'Nothing is changed. Only reading a document tells what it calls itself: state it in `documents`, or those that only it replaces are missing here.',
        tags,
        params: FirmwareVersionParams,
        body: PreviewCommand,
        response: { 200: Preview, ...defineProblems(400, 404) },
      },
    },
    ({ params, body: { replace, fileNames = [], documents = [] } }) =>
      previewReplacement(ctx, { ...params, replace, fileNames, documents }),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/replaced-sboms',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listReplacedSboms',
        summary: 'The replaced SBOMs of a firmware version that are still kept',
        description:
          'The last replaced first. They count no more; findings of an earlier instant (`asOf`) show what they held. GET …/sboms/{sbomId}/content answers their files, DELETE …/sboms/{sbomId} removes one before its time. The setting `replacedSbomDays` of the workspace says how long they are kept.',
        tags,
        params: FirmwareVersionParams,
        response: { 200: ReplacedList, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => listReplacedSboms(ctx, params),
  )
}
