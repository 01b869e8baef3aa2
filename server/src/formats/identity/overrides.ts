/** Overrides: a workspace states what a component is where its document is silent or wrong. */
import { formatCpe, parseCpe, unquote } from '../cpe.ts'
import { formatCpeKey } from '../advisories/keys.ts'
import { formatPurl, makePurl, parsePurl, formatPurlKey } from '../purl.ts'
import type { ComponentIdentifiers } from '../sboms/model.ts'
import { readCpe, readPurl } from './identifiers.ts'

/** Selects components that meet everything stated. */
export interface OverrideSelector {
  /** Without version. */
  purl: string | null
  /** `vendor:product`. */
  cpe: string | null
  name: string | null
  /** As declared. */
  version: string | null
}

export interface PackageOverride {
  id: string
  selector: OverrideSelector
  /** Identifiers in addition to the declared ones. */
  purls: string[]
  cpes: string[]
  /** Replaces the declared version and the versions in declared identifiers. */
  version: string | null
  ignored: boolean
  reason: string | null
  /**
   * The declared versions it was made for; '' stands for none. null: every version. A version that replaces the declared one
   * is right for these alone: the next commit of a source tree is another release.
   */
  madeFor: readonly string[] | null
}

export type Overridable = ComponentIdentifiers & { builtFrom: ComponentIdentifiers | undefined }

export type FindOverride = (component: Overridable) => PackageOverride | undefined

/** The most specific override; among equals one with a purl, then one with a CPE, then the older one. */
export function createOverrideFinder(overrides: readonly PackageOverride[]): FindOverride {
  if (overrides.length === 0) return () => undefined
  const ranked = overrides.toSorted(
    (a, b) => weighSelector(b.selector) - weighSelector(a.selector) || (a.id < b.id ? -1 : 1),
  )
  const byHandle = Map.groupBy(
    ranked.map((override, rank) => ({ override, rank, keys: listKeys(override.selector) })),
    ({ keys: [handle] }) => handle ?? '',
  )
  return (component) => {
    const keys = keysOfComponent(component)
    const meeting = [...keys]
      .flatMap((key) => byHandle.get(key) ?? [])
      .filter((one) => one.keys.every((key) => keys.has(key)) && isMadeFor(one.override, keys))
    return meeting.toSorted((a, b) => a.rank - b.rank)[0]?.override
  }
}

function isMadeFor({ madeFor }: PackageOverride, keys: ReadonlySet<string>): boolean {
  return madeFor === null || madeFor.some((version) => keys.has(versionHandle(version)))
}

/** More stated members weigh more; then more specific members. */
function weighSelector({ purl, cpe, name, version }: OverrideSelector): number {
  return [purl, cpe, name, version].reduce<number>(
    (sum, stated, index) => (stated === null ? sum : sum + 100 + 2 ** (3 - index)),
    0,
  )
}

/** Undefined for a text that cannot select anything. */
export function parseSelectorPurl(text: string): string | undefined {
  const purl = parsePurl(text)
  return purl && purl.version === undefined ? formatPurlKey(purl) : undefined
}

/** `haxx:curl`, also as a whole CPE name. */
export function parseSelectorCpe(text: string): string | undefined {
  const cpe = /^cpe:/i.test(text) ? parseCpe(text) : undefined
  if (cpe) return formatCpeKey(unquote(cpe.vendor), unquote(cpe.product))
  const [, vendor, product] = /^((?:[^:\\]|\\.)+):((?:[^:\\]|\\.)+)$/s.exec(text) ?? []
  return vendor === undefined || product === undefined ? undefined : formatCpeKey(vendor, product)
}

function listKeys({ purl, cpe, name, version }: OverrideSelector): string[] {
  return [
    ...(purl === null ? [] : [parseSelectorPurl(purl) ?? 'nothing']),
    ...(cpe === null ? [] : [parseSelectorCpe(cpe) ?? 'nothing']),
    ...(name === null ? [] : [nameHandle(name)]),
    ...(version === null ? [] : [versionHandle(version)]),
  ]
}

/** The purl and the CPEs of a component, as selectors name them. */
export function listSelectorKeys(component: Overridable): Set<string> {
  const keys = new Set<string>()
  for (const { purl: text, cpes } of listDeclarations(component)) {
    const purl = readPurl(text)
    if (purl) keys.add(formatPurlKey(purl))
    for (const one of cpes) {
      const cpe = readCpe(one)
      const key = cpe && formatCpeKey(unquote(cpe.vendor), unquote(cpe.product))
      if (key !== undefined) keys.add(key)
    }
  }
  return keys
}

function listDeclarations(component: Overridable): ComponentIdentifiers[] {
  return component.builtFrom ? [component, component.builtFrom] : [component]
}

/** The parts of a module are one package, so an override of one is for the other too (west.ts). */
function listNames({ packageName, builtFrom }: Overridable): string[] {
  const names = listPartNames(packageName)
  return names.includes(`${builtFrom?.packageName ?? ''}-deps`) ? names : [packageName]
}

/** `zlib-sources` and `zlib-deps` where the name is one of them; else the name. */
export function listPartNames(name: string): string[] {
  const module = /^(.+)-(?:sources|deps)$/.exec(name)?.[1]
  return module === undefined ? [name] : [`${module}-sources`, `${module}-deps`]
}

function keysOfComponent(component: Overridable): Set<string> {
  const keys = listSelectorKeys(component)
  for (const name of listNames(component)) keys.add(nameHandle(name))
  const versions = listDeclarations(component).flatMap(({ version, purl }) =>
    [version, readPurl(purl)?.version].filter((one) => one !== undefined),
  )
  for (const version of versions.length > 0 ? versions : ['']) keys.add(versionHandle(version))
  return keys
}

const nameHandle = (name: string) => `component name ${name}`
const versionHandle = (version: string) => `component version ${version}`

/** The component with all its identifiers in the stated version. */
export function withVersion<Component extends Overridable>(
  component: Component,
  version: string,
): Component {
  const { builtFrom } = component
  return {
    ...component,
    ...identifiersWith(component, version),
    builtFrom: builtFrom && { ...builtFrom, ...identifiersWith(builtFrom, version) },
  }
}

function identifiersWith({ purl, cpes }: ComponentIdentifiers, version: string) {
  return {
    version,
    purl: purl === undefined ? undefined : purlWith(purl, version),
    cpes: cpes.map((text) => {
      const cpe = readCpe(text)
      return cpe ? formatCpe({ ...cpe, version: '*', update: '*' }) : text
    }),
  }
}

/** `-1.1.1k-5.el8.src.rpm` */
const SOURCE_RPM = /-[^-]+-[^-]+\.(?:no)?src\.rpm$/

/** Keeps a text that cannot be read. */
function purlWith(text: string, version: string): string {
  const purl = readPurl(text)
  if (!purl) return text
  const { upstream = '', ...others } = purl.qualifiers
  // The source package keeps its name; its version is that of the build.
  const source = upstream.replace(/@.*$/s, '').replace(SOURCE_RPM, '')
  const qualifiers = {
    ...others,
    upstream: source,
    ...(purl.repository !== undefined && { vcs_url: purl.repository }),
  }
  const made = makePurl({ ...purl, version, qualifiers })
  return 'purl' in made ? formatPurl(made.purl) : text
}
