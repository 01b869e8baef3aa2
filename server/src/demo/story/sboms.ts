/** SBOMs of the demo's firmware in the forms in which build tools write them. */
import { KNOWN_PACKAGES } from '../data/known-packages.ts'
import { GONE, type BuildTool, type Product, type ProductVersion } from '../data/products.ts'

export interface SbomFile {
  fileName: string
  text: string
}

interface Part {
  name: string
  version: string
  cpe: string | undefined
  licence: string
}

interface Build {
  product: Product
  version: ProductVersion
  parts: readonly Part[]
  at: Date
}

const WRITERS: Readonly<Record<BuildTool, (build: Build) => SbomFile>> = {
  yocto: (build) => cycloneDx(build, { name: 'meta-cyclonedx', type: 'firmware' }),
  buildroot: (build) => cycloneDx(build, { name: 'generate-cyclonedx', type: 'firmware' }),
  west: westSpdx,
}

export function writeStorySbom(product: Product, version: ProductVersion, at: Date): SbomFile {
  return WRITERS[product.builtBy]({ product, version, parts: listParts(product, version), at })
}

/** Each version holds what the ones before it hold, with its changes. */
function listParts({ versions }: Product, version: ProductVersion): Part[] {
  const upTo = versions.slice(0, versions.indexOf(version) + 1)
  const held = Object.fromEntries(upTo.flatMap(({ changes }) => Object.entries(changes)))
  return Object.entries(held).flatMap(([name, text]) => {
    const known = KNOWN_PACKAGES[name]
    if (text === GONE || !known) return []
    return { name, version: text, cpe: formatCpe(known.cpe, text), licence: known.licence }
  })
}

const formatCpe = (product: string | undefined, version: string) =>
  product === undefined ? undefined : `cpe:2.3:${product}:${version}:*:*:*:*:*:*:*`

/** What programs are linked with; the rest hangs on the root. */
const LINKED: Readonly<Record<string, readonly string[]>> = {
  curl: ['openssl', 'zlib'],
  libcurl: ['openssl', 'zlib'],
  mosquitto: ['openssl'],
  'wpa-supplicant': ['openssl', 'dbus'],
  swupdate: ['openssl', 'zlib', 'zstd'],
  rauc: ['openssl', 'libcurl', 'dbus'],
  modemmanager: ['libqmi', 'dbus'],
  dbus: ['expat'],
  fontconfig: ['freetype', 'expat'],
  freetype: ['libpng', 'zlib'],
  libpng: ['zlib'],
  libxml2: ['zlib'],
  qt6base: ['freetype', 'libpng', 'harfbuzz', 'sqlite', 'openssl', 'fontconfig'],
  'gateway-app': ['curl', 'mosquitto', 'sqlite3', 'libxml2'],
  'display-app': ['qt6base', 'libcurl'],
  'sensor-app': ['zephyr', 'mbedtls', 'openthread'],
}

function cycloneDx(
  { product, version, parts, at }: Build,
  tool: { name: string; type: string },
): SbomFile {
  const names = new Set(parts.map(({ name }) => name))
  const linked = new Set(Object.values(LINKED).flat())
  const root = product.slug
  const dependencies = parts.map(({ name }) => ({
    ref: name,
    dependsOn: (LINKED[name] ?? []).filter((other) => names.has(other)),
  }))
  const direct = parts.flatMap(({ name }) => (linked.has(name) ? [] : name))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      tools: { components: [{ type: 'application', name: tool.name }] },
      component: {
        type: tool.type,
        'bom-ref': root,
        name: product.slug,
        version: version.name,
        licenses: [{ expression: 'LicenseRef-Harbour' }],
      },
    },
    components: parts.map(({ name, version: text, cpe, licence }) => ({
      type: cpe?.startsWith('cpe:2.3:o:') === true ? 'operating-system' : 'library',
      'bom-ref': name,
      name,
      version: text,
      ...(cpe !== undefined && { cpe }),
      licenses: [
        licence.startsWith('LicenseRef-') ? { expression: licence } : { license: { id: licence } },
      ],
    })),
    dependencies: [{ ref: root, dependsOn: direct }, ...dependencies],
  }
  return {
    fileName: `${product.slug}-${version.name}.cdx.json`,
    text: JSON.stringify(document, null, 2),
  }
}

/** Zephyr's `west spdx` writes tag-value, one package for each module. */
function westSpdx({ product, version, parts, at }: Build): SbomFile {
  const idOf = (name: string) => `SPDXRef-${name.replaceAll('_', '-')}`
  const head = [
    'SPDXVersion: SPDX-2.3',
    'DataLicense: CC0-1.0',
    'SPDXID: SPDXRef-DOCUMENT',
    'DocumentName: zephyr-sources',
    `DocumentNamespace: https://harbour.example.com/spdx/${product.slug}-${version.name}/zephyr`,
    'Creator: Tool: Zephyr SPDX builder',
    `Created: ${at.toISOString().slice(0, 19)}Z`,
    '',
    'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-sensor-app',
  ]
  const packages = parts.flatMap(({ name, version: text, cpe, licence }) => [
    '',
    `##### Package: ${name}`,
    '',
    `PackageName: ${name}`,
    `SPDXID: ${idOf(name)}`,
    `PackageVersion: ${text}`,
    'PackageDownloadLocation: NOASSERTION',
    'FilesAnalyzed: false',
    'PackageLicenseConcluded: NOASSERTION',
    `PackageLicenseDeclared: ${licence}`,
    'PackageCopyrightText: NOASSERTION',
    ...(cpe === undefined ? [] : [`ExternalRef: SECURITY cpe23Type ${cpe}`]),
  ])
  const links = parts.flatMap(({ name }) =>
    name === 'sensor-app' ? [] : [`Relationship: SPDXRef-sensor-app DEPENDS_ON ${idOf(name)}`],
  )
  return {
    fileName: `${product.slug}-${version.name}.spdx`,
    text: [...head, ...packages, '', ...links, ''].join('\n'),
  }
}
