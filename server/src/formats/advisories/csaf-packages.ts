/** The products of a distribution's CSAF document: rpm packages of releases, by the ids that the document gives them. */
import { type Cpe, parseCpe } from '../cpe.ts'
import { parsePurl } from '../purl.ts'
import { readProductTree } from '../vex/csaf-products.ts'
import type { VexProduct, VexThing } from '../vex/model.ts'

/** A package as part of a release of a distribution. */
export interface CsafPackage {
  /** The namespace of its purls: `redhat`, `suse`, `opensuse`. */
  namespace: string
  name: string
  /** Epoch, version and release of a build; undefined: the package in any version. */
  version: string | undefined
  /** The release as OSV names ecosystems: `Red Hat:8`, `SUSE:15.6`. */
  distro: string
  /** A stream with longer support for a minor release (EUS, AUS, E4S, …): other builds than those of the release. */
  isExtended: boolean
  /** The module stream that the build is of: `18` of `nodejs:18`. */
  stream: string | undefined
}

export interface CsafPackages {
  /** Undefined for products that are not packages of a known release: containers, archives, other products. */
  packageOf: (productId: string) => CsafPackage | undefined
  /** The ids of the products of a group (section 3.2.2.3). */
  productsOfGroup: (groupId: string) => string[]
}

export function readCsafPackages(productTree: unknown): CsafPackages {
  const { productOf, productsOfGroup } = readProductTree(productTree)
  const known = new Map<string, CsafPackage | undefined>()
  return {
    packageOf: (id) => {
      if (!known.has(id)) known.set(id, readPackage(productOf(id)))
      return known.get(id)
    },
    productsOfGroup,
  }
}

/** The whole is a release; its innermost part is a package; what is between them is a module of the release. */
function readPackage(product: VexProduct | undefined): CsafPackage | undefined {
  const part = product?.subcomponents.at(-1)
  const release = readRelease(product?.cpes[0])
  const build = part && release && readBuild(part, release.namespace)
  if (!build) return undefined
  const module = product?.subcomponents.length === 2 ? product.subcomponents[0] : undefined
  return { ...build, ...release, stream: build.stream ?? (module && readStream(module)) }
}

interface Release {
  namespace: string
  distro: string
  isExtended: boolean
}

/** Products that are the release itself or a part of it that every installation may have. */
const SUSE_RELEASES =
  /^(?:sles|sled|sles_sap|sle[_-]hpc|sle-(?:ha|module|sdk|we|micro|rt)|sl-micro|suse-microos|suse_sles)/

/** Undefined for other products, such as OpenShift, which have builds of their own. */
function readRelease(text: string | undefined): Release | undefined {
  const cpe = text === undefined ? undefined : parseCpe(text)
  if (!cpe) return undefined
  switch (cpe.vendor) {
    case 'redhat':
      return releaseOfRedHat(cpe)
    case 'suse':
      return SUSE_RELEASES.test(cpe.product) ? releaseOfSuse(cpe) : undefined
    case 'opensuse':
      return releaseOfOpenSuse(cpe)
    default:
      return undefined
  }
}

function releaseOfRedHat({ product, version }: Cpe): Release | undefined {
  const [major = ''] = version.split('.')
  const isExtended = /^rhel_(?:eus|aus|tus|e4s|els)/.test(product)
  const isKnown = isExtended || product === 'enterprise_linux' || product === 'rhel_extras'
  if (!isKnown || !/^\d+$/.test(major)) return undefined
  return { namespace: 'redhat', distro: `Red Hat:${major}`, isExtended }
}

function releaseOfOpenSuse({ product, version }: Cpe): Release | undefined {
  if (!/^(?:leap|tumbleweed)$/.test(product)) return undefined
  const suffix = product === 'tumbleweed' ? 'Tumbleweed' : version
  return { namespace: 'opensuse', distro: `openSUSE:${suffix}`, isExtended: false }
}

/** `cpe:/o:suse:sles:15:sp6` is 15.6. A longer name is an image of a cloud, with builds of its own. */
function releaseOfSuse(cpe: Cpe): Release | undefined {
  if (!/^\d+(?:\.\d+)?$/.test(cpe.version) || /chost/.test(cpe.edition)) return undefined
  const [, servicePack] = /^sp(\d+)$/.exec(cpe.update) ?? []
  const release = servicePack === undefined ? cpe.version : `${cpe.version}.${servicePack}`
  return { namespace: 'suse', distro: `SUSE:${release}`, isExtended: false }
}

type Build = Pick<CsafPackage, 'name' | 'version' | 'stream'>

/** Older documents name packages without a purl: `samba`, or `libopenssl3-3.1.4-150600.5.15.1`. */
function readBuild({ purls, ref = '' }: VexThing, namespace: string): Build | undefined {
  const [purl] = purls
  if (purl !== undefined) return buildOfPurl(purl)
  const [, name, version] = /^([^/:\s]+?)-(\d[^-/\s]*-\d[^-/\s]*)$/.exec(ref) ?? []
  if (name !== undefined && version !== undefined)
    return namespace === 'redhat' ? undefined : { name, version, stream: undefined }
  return /^[A-Za-z0-9][\w.+-]*$/.test(ref)
    ? { name: ref, version: undefined, stream: undefined }
    : undefined
}

function buildOfPurl(text: string): Build | undefined {
  // `pkg:rpm/suse/libopenssl3@?upstream=…` is the package in any version.
  const purl = parsePurl(text.replace(/@(?=\?|$)/, ''))
  if (!purl || purl.qualifiers['arch'] === 'debug') return undefined
  if (purl.type === 'rpmmod') return buildOfModule(purl.namespace, purl.name)
  if (purl.type !== 'rpm' || !/^(?:redhat|suse|opensuse)$/.test(purl.namespace ?? ''))
    return undefined
  const { epoch, rpmmod } = purl.qualifiers
  const version =
    purl.version === undefined || epoch === undefined || epoch === '0'
      ? purl.version
      : `${epoch}:${purl.version}`
  return { name: purl.name, version, stream: streamOfModule(rpmmod) }
}

/** `pkg:rpmmod/redhat/ruby:2.6/ruby` is the package ruby of the module ruby:2.6; with a version it is the module itself. */
function buildOfModule(namespace: string | undefined, name: string): Build | undefined {
  const stream = streamOfModule(namespace?.split('/')[1])
  return stream === undefined ? undefined : { name, version: undefined, stream }
}

/** `389-ds:1.4:8100020240613122040:25e700aa` is of the stream 1.4. */
function streamOfModule(text: string | undefined): string | undefined {
  return text?.split(':')[1] || undefined
}

function readStream({ purls, ref }: VexThing): string | undefined {
  const [purl] = purls
  const read = purl === undefined ? undefined : parsePurl(purl)
  if (read?.type === 'rpmmod') return read.version?.split(':')[0] ?? streamOfModule(read.namespace)
  return streamOfModule(ref)
}
