import { Type } from 'typebox'
import { Exactly, Nullable, Timestamp } from '../../platform/http/schemas.ts'
import { message } from '../../platform/jobs/queue.ts'
import { affectedDevicesFields } from './affected-devices-schemas.ts'

const Slug = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$',
  description: 'Lower-case letters, digits, ".", "_" and "-"; unique in the workspace',
  examples: ['gateway-main'],
})
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
export const DEFAULT_PART = 'bApp'
const Description = Nullable(Type.String({ maxLength: 4000 }))

const Part = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  default: DEFAULT_PART,
  description: 'What hawkBit clients are told the firmware is: bApp, os, or a name of their own',
})

export const CreateFirmwareCommand = Exactly(
  {
    slug: Slug,
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    part: Type.Optional(Part),
  },
  { examples: [{ slug: 'gateway-main', name: 'Gateway main image' }] },
)

export const UpdateFirmwareCommand = Exactly(
  {
    slug: Slug,
    name: Name,
    description: Type.Optional(Description),
    part: Type.Optional(Part),
  },
  { examples: [{ slug: 'gateway-main', name: 'Gateway main image', description: null }] },
)

export const Firmware = Type.Object({
  id: Type.String(),
  slug: Slug,
  name: Name,
  description: Description,
  part: Part,
  versionCount: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const FirmwareList = Type.Object({ firmwares: Type.Array(Firmware) })

const MOST_CHARACTERS = 1000
const identifiers = {
  buildId: Nullable(Type.String({ minLength: 1, maxLength: 256, pattern: '\\S' }), {
    description:
      'What a build puts into the image, as ELF files have it; unique in the workspace. Devices may report it in place of slug and version',
    examples: ['5fd0a1c6ee0ea2c7bd1f9d0b61f0c3a7a6a8e8f1'],
  }),
  purl: Nullable(Type.String({ maxLength: MOST_CHARACTERS }), {
    description: 'What VEX statements call this product; null: pkg:generic/<slug>@<name>',
  }),
  cpe: Nullable(Type.String({ maxLength: MOST_CHARACTERS }), {
    description: 'A CPE 2.3 name by which VEX statements may call this product as well',
  }),
  predecessorId: Nullable(Type.String(), {
    description:
      'The version of this firmware whose assessments it takes over; null: the newest earlier one with an SBOM',
  }),
}
const changes = {
  buildId: Type.Optional(identifiers.buildId),
  purl: Type.Optional(identifiers.purl),
  cpe: Type.Optional(identifiers.cpe),
  predecessorId: Type.Optional(identifiers.predecessorId),
}

export const CreateFirmwareVersionCommand = Exactly(
  { name: Name, ...changes },
  { examples: [{ name: '2.4.1' }] },
)

export const ChangeFirmwareVersionCommand = Exactly(
  { name: Type.Optional(Name), ...changes },
  {
    description: 'What is left out stays as it is',
    examples: [{ purl: 'pkg:generic/acme/gateway-main@2.4.1' }],
  },
)

export const FirmwareVersion = Type.Object({
  id: Type.String(),
  name: Name,
  ...identifiers,
  createdAt: Timestamp,
  sbomCount: Type.Integer(),
  ...affectedDevicesFields,
  firmware: Type.Object({ id: Type.String(), slug: Slug, name: Name }),
})

export const FirmwareVersionList = Type.Object({ firmwareVersions: Type.Array(FirmwareVersion) })

/** Its rows are gone; what other stores hold of it is to follow. */
export const FirmwareVersionsDeleted = message(
  'firmware.versions-deleted',
  Type.Object({ workspaceId: Type.String(), firmwareVersionIds: Type.Array(Type.String()) }),
)

export const firmwareMessages = [FirmwareVersionsDeleted]
