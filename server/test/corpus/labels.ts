/** The labels of the corpus, read from `labels/*.json`: which component has which vulnerability by public record. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Label {
  cve: string
  /** In the form that `componentOf` reads. */
  component: string
  isAffected: boolean
  /** The public record, what it says, and why it decides so for this component. */
  source: string
  fact: string
  because: string
}

interface LabelledVulnerability {
  source: string
  fact: string
  affected?: Record<string, string>
  notAffected?: Record<string, string>
}

const FOLDER = join(import.meta.dirname, 'labels')

export function readLabels(): Label[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => {
      const file = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Record<
        string,
        LabelledVulnerability
      >
      return Object.entries(file).flatMap(([cve, vulnerability]) => labelsOf(cve, vulnerability))
    })
}

function labelsOf(cve: string, { source, fact, affected, notAffected }: LabelledVulnerability) {
  const side = (isAffected: boolean, components: Record<string, string> = {}): Label[] =>
    Object.entries(components).map(([component, because]) => ({
      cve,
      component,
      isAffected,
      source,
      fact,
      because,
    }))
  return [...side(true, affected), ...side(false, notAffected)]
}

export interface DeclaredComponent {
  supplier?: string
  packageName: string
  version?: string
  purl?: string
  cpes: string[]
  repository?: string
}

/**
 * Reads a component whose parts are separated by spaces: `pkg:…`, any number of `cpe:…`, a repository
 * (`git+https://…`), and `name@version` or `supplier/name@version`. Without the last, the first identifier names it.
 */
export function componentOf(text: string): DeclaredComponent {
  const parts = text.split(' ')
  const purl = parts.find((part) => part.startsWith('pkg:'))
  const cpes = parts.filter((part) => part.startsWith('cpe:'))
  const repository = parts.find((part) => part.startsWith('git+'))
  const declared = parts.find((part) => !/^(?:pkg:|cpe:|git\+)/.test(part))
  return {
    ...(declared === undefined ? namedBy(purl, cpes[0]) : readDeclared(declared)),
    ...(purl !== undefined && { purl }),
    cpes,
    ...(repository !== undefined && { repository }),
  }
}

function readDeclared(text: string) {
  const [, supplier, packageName = text, version] =
    /^(?:([^/@]+)\/)?([^@]+)(?:@(.+))?$/.exec(text) ?? []
  return {
    packageName,
    ...(supplier !== undefined && { supplier }),
    ...(version !== undefined && { version }),
  }
}

function namedBy(purl: string | undefined, cpe: string | undefined) {
  const [, name, version] = /([^/@?#]+)(?:@([^?#]+))?(?:[?#].*)?$/.exec(purl ?? '') ?? []
  const fields = cpe?.split(':') ?? []
  const start = cpe?.startsWith('cpe:2.3:') === true ? 4 : 3
  const stated = version === undefined ? fields[start + 1] : decodeURIComponent(version)
  return {
    packageName: name ?? fields[start] ?? 'unnamed',
    ...(stated !== undefined && /\d/.test(stated) && { version: stated.replaceAll('\\', '') }),
  }
}
