/**
 * Maps elements of CycloneDX XML to members of the JSON shape. An element that is not listed is a fault; a skipped one
 * holds nothing that an inventory needs. XSDs: github.com/CycloneDX/specification, schema/.
 */
export interface Shape {
  /** Attribute → member. */
  attributes?: ReadonlyMap<string, string>
  children?: ReadonlyMap<string, Child>
  /** The member that takes the element's own text. */
  text?: string
}

export type Child =
  | { kind: 'text'; member: string }
  | { kind: 'object'; member: string; shape: Shape }
  /** The element wraps the entries. */
  | { kind: 'list'; member: string; shape: Shape }
  /** The element is an entry of a list its parent holds, without a wrapper. */
  | { kind: 'repeated'; member: string; shape: Shape }
  /** An entry inside a wrapper; with `wrappedIn`, JSON puts it into an object with that one member. */
  | { kind: 'entry'; shape: Shape; wrappedIn?: string }
  | { kind: 'text-entry'; wrappedIn?: string }
  | { kind: 'skip' }

const SKIP: Child = { kind: 'skip' }

function texts(names: string): [string, Child][] {
  return names.split(' ').map((name) => [name, { kind: 'text', member: name }])
}

function skipped(names: string): [string, Child][] {
  return names.split(' ').map((name) => [name, SKIP])
}

function defineList(entries: Record<string, Child>): Shape {
  return { children: new Map(Object.entries(entries)) }
}

function list(member: string, shape: Shape): [string, Child] {
  return [member, { kind: 'list', member, shape }]
}

function object(member: string, shape: Shape): [string, Child] {
  return [member, { kind: 'object', member, shape }]
}

function entry(shape: Shape): Child {
  return { kind: 'entry', shape }
}

const BOM_REF: [string, string] = ['bom-ref', 'bom-ref']

const PROPERTIES = defineList({
  property: entry({ attributes: new Map([['name', 'name']]), text: 'value' }),
})

const HASHES = defineList({
  hash: entry({ attributes: new Map([['alg', 'alg']]), text: 'content' }),
})

const ATTACHED_TEXT: Shape = {
  attributes: new Map([
    ['content-type', 'contentType'],
    ['encoding', 'encoding'],
  ]),
  text: 'content',
}

const LICENSE: Shape = {
  attributes: new Map([BOM_REF, ['acknowledgement', 'acknowledgement']]),
  children: new Map([
    ...texts('id name url'),
    object('text', ATTACHED_TEXT),
    list('properties', PROPERTIES),
    ...skipped('licensing'),
  ]),
}

const LICENSES = defineList({
  license: { kind: 'entry', shape: LICENSE, wrappedIn: 'license' },
  expression: {
    kind: 'entry',
    shape: {
      attributes: new Map([BOM_REF, ['acknowledgement', 'acknowledgement']]),
      text: 'expression',
    },
  },
  'expression-detailed': {
    kind: 'entry',
    shape: {
      attributes: new Map([
        BOM_REF,
        ['expression', 'expression'],
        ['acknowledgement', 'acknowledgement'],
      ]),
      children: new Map(skipped('details licensing properties')),
    },
  },
})

const CONTACT: Shape = {
  attributes: new Map([BOM_REF]),
  children: new Map(texts('name email phone')),
}

const ORGANISATION: Shape = {
  attributes: new Map([BOM_REF]),
  children: new Map<string, Child>([
    ...texts('name'),
    ['contact', { kind: 'repeated', member: 'contact', shape: CONTACT }],
    ['url', { kind: 'repeated', member: 'url', shape: { text: 'text' } }],
    ...skipped('address'),
  ]),
}

const EXTERNAL_REFERENCES = defineList({
  reference: entry({
    attributes: new Map([['type', 'type']]),
    children: new Map([...texts('url comment'), list('hashes', HASHES), ...skipped('properties')]),
  }),
})

const DIFF: Shape = { children: new Map([...texts('url'), object('text', ATTACHED_TEXT)]) }

const PATCHES = defineList({
  patch: entry({
    attributes: new Map([['type', 'type']]),
    children: new Map([
      object('diff', DIFF),
      list(
        'resolves',
        defineList({
          issue: entry({
            attributes: new Map([['type', 'type']]),
            children: new Map([...texts('id name'), ...skipped('description source references')]),
          }),
        }),
      ),
    ]),
  }),
})

const PEDIGREE: Shape = {
  children: new Map([
    list('patches', PATCHES),
    ...skipped('ancestors descendants variants commits notes'),
  ]),
}

const SWID: Shape = {
  attributes: new Map(
    ['tagId', 'name', 'version', 'tagVersion', 'patch'].map((name) => [name, name]),
  ),
  children: new Map(skipped('text url')),
}

/** Components nest, so the shape refers to itself and is completed below. */
const componentChildren = new Map<string, Child>([
  ...texts('author publisher group name version versionRange description scope copyright cpe purl'),
  object('supplier', ORGANISATION),
  object('manufacturer', ORGANISATION),
  list('authors', defineList({ author: entry(CONTACT) })),
  list('hashes', HASHES),
  list('licenses', LICENSES),
  object('swid', SWID),
  object('pedigree', PEDIGREE),
  list('externalReferences', EXTERNAL_REFERENCES),
  list('properties', PROPERTIES),
  ...skipped('omniborId swhid modified evidence releaseNotes modelCard data'),
  ...skipped('cryptoProperties tags patentAssertions signature'),
])
const COMPONENT: Shape = {
  attributes: new Map([
    BOM_REF,
    ['type', 'type'],
    ['mime-type', 'mime-type'],
    ['isExternal', 'isExternal'],
  ]),
  children: componentChildren,
}
const COMPONENTS = defineList({ component: entry(COMPONENT) })
componentChildren.set('components', { kind: 'list', member: 'components', shape: COMPONENTS })

const DATA_FLOW: Shape = { attributes: new Map([['flow', 'flow']]), text: 'classification' }

const serviceChildren = new Map<string, Child>([
  ...texts('group name version description'),
  list('properties', PROPERTIES),
  list('data', defineList({ classification: entry(DATA_FLOW), dataflow: SKIP })),
  ...skipped('provider endpoints authenticated x-trust-boundary trustZone licenses'),
  ...skipped('externalReferences releaseNotes tags patentAssertions signature'),
])
const SERVICES = defineList({
  service: entry({ attributes: new Map([BOM_REF]), children: serviceChildren }),
})
serviceChildren.set('services', { kind: 'list', member: 'services', shape: SERVICES })

const TOOLS: Shape = {
  children: new Map([
    [
      'tool',
      {
        kind: 'repeated',
        member: 'tool',
        shape: {
          children: new Map([
            ...texts('vendor name version'),
            ...skipped('hashes externalReferences'),
          ]),
        },
      },
    ],
    list('components', COMPONENTS),
    list('services', SERVICES),
  ]),
}

const METADATA: Shape = {
  children: new Map([
    ...texts('timestamp'),
    object('component', COMPONENT),
    object('tools', TOOLS),
    list('authors', defineList({ author: entry(CONTACT) })),
    object('manufacture', ORGANISATION),
    object('manufacturer', ORGANISATION),
    object('supplier', ORGANISATION),
    list('licenses', LICENSES),
    list('properties', PROPERTIES),
    list(
      'lifecycles',
      defineList({ lifecycle: entry({ children: new Map(texts('phase name description')) }) }),
    ),
    ...skipped('distributionConstraints'),
  ]),
}

const dependencyChildren = new Map<string, Child>([['provides', SKIP]])
const DEPENDENCY: Shape = { attributes: new Map([['ref', 'ref']]), children: dependencyChildren }
dependencyChildren.set('dependency', {
  kind: 'repeated',
  member: 'dependencies',
  shape: DEPENDENCY,
})

const CITATIONS = defineList({
  citation: entry({
    attributes: new Map([BOM_REF]),
    children: new Map<string, Child>([
      ...texts('timestamp attributedTo process note'),
      list('pointers', defineList({ pointer: { kind: 'text-entry' } })),
      list('expressions', defineList({ expression: { kind: 'text-entry' } })),
      ...skipped('signature'),
    ]),
  }),
})

const REFERRED: Shape = { attributes: new Map([['ref', 'ref']]) }

const COMPOSITIONS = defineList({
  composition: entry({
    attributes: new Map([BOM_REF]),
    children: new Map([
      ...texts('aggregate'),
      list('assemblies', defineList({ assembly: entry(REFERRED) })),
      list('dependencies', defineList({ dependency: entry(REFERRED) })),
      ...skipped('vulnerabilities signature'),
    ]),
  }),
})

const SOURCE: Shape = { children: new Map(texts('name url')) }

const ANALYSIS: Shape = {
  children: new Map<string, Child>([
    ...texts('state justification detail firstIssued lastUpdated'),
    [
      'responses',
      { kind: 'list', member: 'response', shape: defineList({ response: { kind: 'text-entry' } }) },
    ],
  ]),
}

const TARGET: Shape = {
  children: new Map([
    ...texts('ref'),
    list(
      'versions',
      defineList({ version: entry({ children: new Map(texts('version range status')) }) }),
    ),
  ]),
}

const VULNERABILITY: Shape = {
  attributes: new Map([BOM_REF]),
  children: new Map([
    ...texts('id description detail recommendation workaround created published updated rejected'),
    object('source', SOURCE),
    list(
      'references',
      defineList({
        reference: entry({ children: new Map([...texts('id'), object('source', SOURCE)]) }),
      }),
    ),
    list('advisories', defineList({ advisory: entry({ children: new Map(texts('title url')) }) })),
    object('analysis', ANALYSIS),
    list('affects', defineList({ target: entry(TARGET) })),
    list('properties', PROPERTIES),
    ...skipped('ratings cwes credits tools proofOfConcept'),
  ]),
}

export const BOM: Shape = {
  attributes: new Map([
    ['serialNumber', 'serialNumber'],
    ['version', 'version'],
  ]),
  children: new Map([
    object('metadata', METADATA),
    list('components', COMPONENTS),
    list('services', SERVICES),
    list('externalReferences', EXTERNAL_REFERENCES),
    list('dependencies', defineList({ dependency: entry(DEPENDENCY) })),
    list('properties', PROPERTIES),
    list('citations', CITATIONS),
    list('vulnerabilities', defineList({ vulnerability: entry(VULNERABILITY) })),
    list('compositions', COMPOSITIONS),
    ...skipped('annotations formulation declarations definitions'),
    ...skipped('signature'),
  ]),
}
