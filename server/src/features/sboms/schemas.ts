import { Type } from 'typebox'
import { SBOM_FORMATS } from '../../formats/sboms/model.ts'
import { Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { REPLACEMENTS } from './replacement/rules.ts'

export const PARSING_STATES = ['InProgress', 'Succeeded', 'Failed'] as const

export type ParsingState = (typeof PARSING_STATES)[number]

export const ParsingState = OneOf('ParsingState', PARSING_STATES)

export const Replace = Type.Enum([...REPLACEMENTS], {
  description:
    'What of the firmware version goes when the upload is read. `serial`: earlier uploads of the same document (serialNumber of CycloneDX, documentNamespace of SPDX 2). `file`: these, and earlier uploads of the same file name. `all`: all earlier uploads, when each file of this upload is read. A later version of the same CycloneDX document replaces earlier ones in any case',
})

export const UploadQuery = Type.Object(
  {
    replace: Type.Optional(Replace),
    fileName: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'The file name of a document that is sent as the raw body',
      }),
    ),
  },
  { additionalProperties: false },
)

const File = Type.String({ format: 'binary' })

/** For the API description only: the parts of a multipart body, with any names, or the raw body. */
export const UploadBody = {
  content: {
    'multipart/form-data': {
      schema: Type.Object({ file: Type.Array(File, { description: 'One or more SBOMs' }) }),
    },
    'application/octet-stream': { schema: File },
  },
}

export const UploadAccepted = Shape('UploadAccepted', {
  sboms: Type.Array(Type.Object({ id: Type.String(), parsingState: ParsingState })),
  warnings: Type.Array(Type.String(), {
    description:
      'SBOMs of the same name that are here already and go on counting beside the new ones',
  }),
})

export const ListedSbom = Shape('Sbom', {
  id: Type.String(),
  fileName: Type.String({ examples: ['core-image-minimal.spdx.json'] }),
  format: Nullable(OneOf('SbomFormat', SBOM_FORMATS)),
  specVersion: Nullable(Type.String({ examples: ['3.0.1'] })),
  parsingState: ParsingState,
  parsingError: Nullable(Type.String()),
  warnings: Type.Array(Type.String()),
  replaces: Nullable(Replace),
  componentCount: Type.Integer(),
  notMatchedReasons: Type.Array(
    Type.Object({
      reason: Type.String({ examples: ['version missing'] }),
      count: Type.Integer(),
    }),
    { description: 'How many components are not matched, by reason; the most frequent first' },
  ),
  sizeBytes: Type.Integer(),
  sha256: Type.String(),
  createdAt: Timestamp,
  vulnerabilitiesParsedAt: Nullable(Timestamp),
  failure: Nullable(
    Type.Object({
      attempts: Type.Integer({ description: 'How often it has failed' }),
      isGivenUp: Type.Boolean({
        description: 'Whether all attempts failed; the SBOM is then tried again every hour',
      }),
      reason: Type.String({
        examples: ['an internal error (RangeError); job 0190a7d2-5c1e-7d6a-8f1e-0d4a5f6b7c8d'],
      }),
      failedAt: Timestamp,
    }),
    {
      description:
        'Why reading or matching has failed so far, from the second attempt on; null: it has not. Ends when it succeeds',
    },
  ),
})

export const SbomList = Shape('SbomList', { sboms: Type.Array(ListedSbom) })

export const SbomContentLink = Shape('SbomContentLink', {
  contentSasLink: Type.String({
    description: 'Gives access to the file without an API key until it expires',
  }),
  fileName: Type.String(),
})

const sbomPayload = Type.Object({ workspaceId: Type.String(), sbomId: Type.String() })

/** The file is stored and has to be parsed. */
export const SbomUploaded = defineMessage(
  'sboms.uploaded',
  Type.Object({
    ...sbomPayload.properties,
    /** It took too long once: if it does so again, it has failed. */
    isLastTry: Type.Optional(Type.Boolean()),
  }),
)

/** The same of a file of few bytes, which is parsed beside the large ones so that it does not wait for them. */
export const SmallSbomUploaded = defineMessage('sboms.uploaded-small', sbomPayload)

/** A new file is stored: whoever reads more of it than its components begins. */
export const SbomStored = defineMessage('sboms.stored', sbomPayload)

/** The inventory is committed; its packages may have to be matched. */
export const SbomParsed = defineMessage(
  'sboms.parsed',
  Type.Object({
    ...sbomPayload.properties,
    /** Matches that earlier turns of the same SBOM changed. */
    changes: Type.Optional(Type.Integer()),
  }),
)

/** An SBOM was deleted: documents that referred to it have to be linked again. */
export const SbomLinksBroken = defineMessage(
  'sboms.links-broken',
  Type.Object({ workspaceId: Type.String(), firmwareVersionId: Type.String() }),
)

const workspacePayload = Type.Object({ workspaceId: Type.String() })

/** The components that overrides apply or applied to have to be identified again. */
export const PackageOverridesChanged = defineMessage(
  'sboms.package-overrides-changed',
  workspacePayload,
)

/** Parsers or rules of identity are newer than the SBOMs of the workspace. */
export const SbomsOutdated = defineMessage('sboms.outdated', workspacePayload)

/** The list of source files of a component has changed. */
export const SourceFilesChanged = defineMessage(
  'sboms.source-files-changed',
  Type.Object({
    workspaceId: Type.String(),
    firmwareVersionId: Type.String(),
    /** Set if an uploaded list was deleted: an older list is in force from then on. */
    deletedAt: Type.Optional(Type.String()),
  }),
)

export const sbomMessages = [
  SourceFilesChanged,
  SbomStored,
  SbomUploaded,
  SmallSbomUploaded,
  SbomParsed,
  SbomLinksBroken,
  PackageOverridesChanged,
  SbomsOutdated,
]
