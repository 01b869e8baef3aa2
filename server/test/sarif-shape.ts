/** The schema of SARIF 2.1.0 (OASIS), and the part of it that exports use with what GitHub documents about files it takes. */
import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' }
import { Ajv } from 'ajv'
import Draft04 from 'ajv-draft-04'
import formats from 'ajv-formats'
import { expect } from 'vitest'

// Its pattern of languages is none of Unicode.
const schemaAjv = new Draft04.default({ strict: false, allErrors: true, unicodeRegExp: false })
formats.default(schemaAjv)
const validateBySchema = schemaAjv.compile(schema)

/** Exports have no other members, so that each is meant. */
const object = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
})
const string = { type: 'string' }
const shortText = object({ text: { type: 'string', minLength: 1, maxLength: 1024 } }, ['text'])
const text = object({ text: { type: 'string', minLength: 1 } }, ['text'])
const properties = { type: 'object' }
const level = { enum: ['none', 'note', 'warning', 'error'] }
const listOf = (items: object, maxItems?: number) => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
})

const RULE = object(
  {
    id: { type: 'string', minLength: 1, maxLength: 255 },
    shortDescription: shortText,
    fullDescription: shortText,
    help: text,
    helpUri: { type: 'string', pattern: '^https?://' },
    defaultConfiguration: object({ level }),
    properties: {
      type: 'object',
      properties: {
        tags: listOf(string, 20),
        'security-severity': { type: 'string', pattern: '^(10|[0-9])(\\.[0-9]+)?$' },
      },
    },
  },
  ['id', 'shortDescription', 'fullDescription', 'help'],
)

const LOCATION = object({
  logicalLocations: listOf(object({ name: string, fullyQualifiedName: string, kind: string })),
  physicalLocation: object(
    {
      // A relative URI reference (RFC 3986) without a scheme or a path that leaves the repository.
      artifactLocation: object({ uri: { type: 'string', pattern: "^[A-Za-z0-9._~%!'()*-]+$" } }, [
        'uri',
      ]),
      region: object({ startLine: { type: 'integer', minimum: 1 } }, ['startLine']),
    },
    ['artifactLocation'],
  ),
})

const RESULT = object(
  {
    ruleId: { type: 'string', minLength: 1 },
    ruleIndex: { type: 'integer', minimum: 0 },
    kind: { enum: ['notApplicable', 'pass', 'fail', 'review', 'open', 'informational'] },
    level,
    message: text,
    locations: { ...listOf(LOCATION, 1000), minItems: 1 },
    fingerprints: { type: 'object', additionalProperties: string },
    partialFingerprints: {
      type: 'object',
      additionalProperties: string,
      properties: { primaryLocationLineHash: { type: 'string', pattern: '^[0-9a-f]{16}:1$' } },
      required: ['primaryLocationLineHash'],
    },
    suppressions: listOf(
      object({
        kind: { enum: ['inSource', 'external'] },
        status: { enum: ['accepted', 'underReview', 'rejected'] },
        justification: string,
      }),
    ),
    properties,
  },
  ['ruleId', 'message', 'locations', 'partialFingerprints'],
)

const INVOCATION = object(
  {
    executionSuccessful: { type: 'boolean' },
    toolExecutionNotifications: listOf(object({ level, message: text }, ['message'])),
  },
  ['executionSuccessful'],
)

const DRIVER = object(
  { name: string, semanticVersion: string, version: string, rules: listOf(RULE, 25_000) },
  ['name', 'rules'],
)

const RUN = object(
  {
    tool: object({ driver: DRIVER }, ['driver']),
    automationDetails: object({ id: { type: 'string', pattern: '^plimsoll/[^/]+/[^/]*$' } }, [
      'id',
    ]),
    results: listOf(RESULT, 25_000),
    invocations: listOf(INVOCATION),
  },
  ['tool', 'results'],
)

const validateForGithub = new Ajv({ strict: false, allErrors: true }).compile(
  object({ $schema: string, version: { const: '2.1.0' }, runs: listOf(RUN, 20) }, [
    'version',
    'runs',
  ]),
)

interface Sarif {
  runs: {
    tool: { driver: { rules: { id: string }[] } }
    results: {
      ruleId: string
      ruleIndex?: number
      partialFingerprints: { primaryLocationLineHash: string }
    }[]
  }[]
}

export function expectSarif(document: unknown): void {
  validateBySchema(document)
  expect(validateBySchema.errors ?? []).toEqual([])
  validateForGithub(document)
  expect(validateForGithub.errors ?? []).toEqual([])
  for (const { tool, results } of (document as Sarif).runs) {
    const rules = tool.driver.rules.map(({ id }) => id)
    expect(new Set(rules).size).toBe(rules.length)
    const alerts = results.map(
      ({ ruleId, partialFingerprints }) =>
        `${ruleId} ${partialFingerprints.primaryLocationLineHash}`,
    )
    expect(new Set(alerts).size).toBe(alerts.length)
    for (const { ruleId, ruleIndex } of results)
      if (ruleIndex !== undefined) expect(rules[ruleIndex]).toBe(ruleId)
  }
}
