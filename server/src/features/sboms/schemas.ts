import { Type } from 'typebox'
import { COMPONENT_SCOPES, SBOM_FORMATS } from '../../formats/sboms/model.ts'
import { Exactly, Nullable, PageRequest, Timestamp } from '../../platform/http/schemas.ts'
import { message } from '../../platform/jobs/queue.ts'

const PARSING_STATES = ['InProgress', 'Succeeded', 'Failed'] as const

const ParsingState = Type.Enum([...PARSING_STATES])

export const UploadQuery = Type.Object(
  {
    fileName: Type.Optional(
      Type.String({ maxLength: 1000, description: 'The name of a document sent as the raw body' }),
    ),
  },
  { additionalProperties: false },
)

const File = Type.String({ format: 'binary' })

/** For the description only: the parts of a multipart body, whatever their names, or the body itself. */
export const UploadBody = {
  content: {
    'multipart/form-data': {
      schema: Type.Object({ file: Type.Array(File, { description: 'One or more SBOMs' }) }),
    },
    'application/octet-stream': { schema: File },
  },
}

export const UploadAccepted = Type.Object({
  sboms: Type.Array(Type.Object({ id: Type.String(), parsingState: ParsingState })),
})

export const SbomList = Type.Object({
  sboms: Type.Array(
    Type.Object({
      id: Type.String(),
      fileName: Type.String({ examples: ['core-image-minimal.spdx.json'] }),
      format: Nullable(Type.Enum([...SBOM_FORMATS])),
      specVersion: Nullable(Type.String({ examples: ['3.0.1'] })),
      parsingState: ParsingState,
      parsingError: Nullable(Type.String()),
      warnings: Type.Array(Type.String()),
      componentCount: Type.Integer(),
      notMatchedReasons: Type.Array(
        Type.Object({
          reason: Type.String({ examples: ['version missing'] }),
          count: Type.Integer(),
        }),
        { description: 'How many components are not matched, by reason, the most frequent first' },
      ),
      sizeBytes: Type.Integer(),
      sha256: Type.String(),
      createdAt: Timestamp,
      vulnerabilitiesParsedAt: Nullable(Timestamp),
    }),
  ),
})

export const SbomContentLink = Type.Object({
  contentSasLink: Type.String({ description: 'Answers the file without a key until it expires' }),
  fileName: Type.String(),
})

export const ListSbomComponentsCommand = Exactly(
  {
    ...PageRequest,
    notMatchedReason: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Only components with this reason; "invalid identifier" and "ignored" with any text after it',
      }),
    ),
    hasNotMatchedReason: Type.Optional(
      Type.Boolean({ description: 'Only components that are not matched, or only those that are' }),
    ),
  },
  { examples: [{ limit: 100, hasNotMatchedReason: true }] },
)

const component = {
  vendor: Nullable(Type.String()),
  packageName: Type.String({ examples: ['busybox'] }),
  version: Nullable(Type.String({ examples: ['1.36.1'] })),
  purl: Nullable(Type.String()),
  cpe: Nullable(Type.String({ examples: ['cpe:2.3:a:busybox:busybox:1.36.1:*:*:*:*:*:*:*'] })),
  pathsToRoot: Type.Array(Type.Array(Type.String()), {
    description:
      'The shortest path to a root through each direct parent, at most 20, from the component up to the root',
  }),
  cpes: Type.Array(Type.String()),
  licenses: Type.Array(Type.String()),
  hashes: Type.Array(Type.Object({ algorithm: Type.String(), value: Type.String() })),
  supplier: Nullable(Type.String()),
  downloadLocation: Nullable(Type.String()),
  scope: Nullable(Type.Enum([...COMPONENT_SCOPES])),
  notMatchedReason: Nullable(
    Type.String({
      description:
        'Why no vulnerabilities are looked up for it, or, for a commit, none but those whose records name that very commit; null when they are',
    }),
  ),
  overrideId: Nullable(
    Type.String({ description: 'The override of the workspace that says what it is' }),
  ),
  undecided: Type.Record(Type.String(), Type.Integer(), {
    description:
      'How many records name it but could not be compared with it, by reason; empty when all were',
    examples: [{ 'version is a commit': 12 }],
  }),
}

export const FirmwareVersionComponents = Type.Object({
  components: Type.Array(Type.Object(component)),
})

export const SbomComponentPage = Type.Object({
  components: Type.Array(Type.Object({ id: Type.String(), ...component })),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const sbomPayload = Type.Object({ workspaceId: Type.String(), sbomId: Type.String() })

/** Its bytes are stored; it waits to be parsed. */
export const SbomUploaded = message('sboms.uploaded', sbomPayload)

/** Its inventory is committed; its packages may wait to be matched. */
export const SbomParsed = message('sboms.parsed', sbomPayload)

/** A document that others refer to has left: those are to be linked anew. */
export const SbomLinksBroken = message(
  'sboms.links-broken',
  Type.Object({ workspaceId: Type.String(), firmwareVersionId: Type.String() }),
)

const workspacePayload = Type.Object({ workspaceId: Type.String() })

/** The components they were or are for have to be identified anew. */
export const PackageOverridesChanged = message('sboms.package-overrides-changed', workspacePayload)

/** Parsers or rules of identity are newer than SBOMs of the workspace. */
export const SbomsOutdated = message('sboms.outdated', workspacePayload)

/** What components of the version were compiled from is told anew. */
export const SourceFilesChanged = message(
  'sboms.source-files-changed',
  Type.Object({
    workspaceId: Type.String(),
    firmwareVersionId: Type.String(),
    /** An uploaded list was deleted, so that an older one is in force from then on. */
    deletedAt: Type.Optional(Type.String()),
  }),
)

export const sbomMessages = [
  SourceFilesChanged,
  SbomUploaded,
  SbomParsed,
  SbomLinksBroken,
  PackageOverridesChanged,
  SbomsOutdated,
]

const Identifier = Type.String({ minLength: 1, maxLength: 2000 })
const Text = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' })

const override = {
  purls: Type.Array(Identifier, {
    maxItems: 20,
    description: 'Identifiers it has besides the declared ones',
    examples: [['pkg:github/acme/thing']],
  }),
  cpes: Type.Array(Identifier, { maxItems: 20 }),
  version: Nullable(Text, {
    description: 'What counts instead of the declared version and those in declared identifiers',
  }),
  ignored: Type.Boolean({ description: 'It is not matched at all' }),
  reason: Nullable(Text),
}

const SELECTED = {
  purl: Nullable(Identifier, { examples: ['pkg:generic/thing'] }),
  cpe: Nullable(Identifier, { examples: ['acme:thing'] }),
  name: Nullable(Text),
  version: Nullable(Text, { description: 'As declared' }),
}

export const PackageOverrideCommand = Exactly(
  {
    selector: Type.Partial(Exactly(SELECTED), {
      additionalProperties: false,
      description:
        'Which components it is for: those that meet all that is stated. A purl without version, vendor:product of a CPE, or a name; each with or without the declared version',
    }),
    ...Type.Partial(Type.Object(override)).properties,
  },
  {
    examples: [
      {
        selector: { name: 'libfoo', version: '1.2' },
        cpes: ['cpe:2.3:a:acme:foo:1.2.0:*:*:*:*:*:*:*'],
      },
    ],
  },
)

export const PackageOverride = Type.Object({
  id: Type.String(),
  selector: Type.Object(SELECTED),
  ...override,
  componentCount: Type.Integer({ description: 'How many components it is for by now' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const PackageOverrideList = Type.Object({ overrides: Type.Array(PackageOverride) })
