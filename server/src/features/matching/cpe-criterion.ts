/** Whether a CPE criterion applies to a package, apart from vendor, product and version (NISTIR 7696 section 6). */
import type { Cpe } from '../../formats/cpe.ts'
import { compareAttributes } from '../../formats/cpe-matching.ts'
import { isVendorless } from '../../formats/identity.ts'

export type Fit = { fits: true; doubts: string[] } | { fits: false }

interface Subject {
  cpe: Cpe | undefined
  ecosystems: ReadonlySet<string>
}

/** The CPE states its vendor, and none where the record names another one for the product. */
export function asNamedBy<T extends Subject>(key: string, ownKey: string, subject: T): T {
  const isOther = key.startsWith('cpe:') && !isVendorless(key) && ownKey !== key
  return subject.cpe && isOther ? { ...subject, cpe: { ...subject.cpe, vendor: '*' } } : subject
}

const NO: Fit = { fits: false }
export const SURE: Fit = { fits: true, doubts: [] }
const COMPARED = ['part', 'edition', 'language', 'swEdition', 'targetHw', 'other'] as const

/** `*` in an SBOM means that the attribute is not stated, so it excludes nothing. */
export function fitCriterion(criterion: Cpe, { cpe, ecosystems }: Subject): Fit {
  if (cpe && !COMPARED.every((attribute) => admits(criterion[attribute], cpe[attribute]))) return NO
  if (cpe && !admitsUpdate(criterion.update, cpe.update)) return NO
  return targetSoftwareFit(criterion.targetSw, cpe, ecosystems)
}

function admits(criterion: string, stated: string): boolean {
  if (criterion === '*' || stated === '*') return true
  const relation = compareAttributes(criterion, stated)
  return relation === 'Superset' || relation === 'Equal'
}

/** Criteria of one exact version compare the update together with the version; a release has no update. */
function admitsUpdate(criterion: string, stated: string): boolean {
  return stated === '-' ? criterion === '*' || criterion === '-' : admits(criterion, stated)
}

const LANGUAGES = new Map(
  Object.entries({
    'node.js': 'npm',
    nodejs: 'npm',
    node: 'npm',
    npm: 'npm',
    python: 'pypi',
    pypi: 'pypi',
    ruby: 'gem',
    rails: 'gem',
    ruby_on_rails: 'gem',
    rust: 'cargo',
    go: 'golang',
    golang: 'golang',
    java: 'maven',
    maven: 'maven',
    '.net': 'nuget',
    '.net_framework': 'nuget',
    'asp.net': 'nuget',
    php: 'composer',
    composer: 'composer',
    laravel: 'composer',
    perl: 'cpan',
  }),
)
/** Whether the criterion is for packages of a registry of these ecosystems. */
export function isForRegistry({ targetSw }: Cpe, ecosystems: ReadonlySet<string>): boolean {
  const language = LANGUAGES.get(targetSw)
  return language !== undefined && ecosystems.has(language)
}

/** Programs with extensions of their own, which are in no registry of a programming language. */
const HOSTS = new Set(
  'wordpress drupal joomla joomla\\! jenkins magento prestashop typo3 moodle confluence jira chrome firefox thunderbird visual_studio_code'.split(
    ' ',
  ),
)
/** Targets that firmware runs on, and values that state no target. */
const ANYWHERE = new Set(['linux', 'linux_kernel', 'unix', 'debian_linux', 'all'])

function targetSoftwareFit(
  criterion: string,
  cpe: Cpe | undefined,
  ecosystems: ReadonlySet<string>,
): Fit {
  const stated = cpe?.targetSw ?? '*'
  if (criterion === '*') return SURE
  if (stated !== '*') return admits(criterion, stated) ? SURE : NO
  if (criterion === '-') return SURE
  const language = LANGUAGES.get(criterion)
  if (ecosystems.size > 0) {
    if (language !== undefined) return ecosystems.has(language) ? SURE : NO
    if (HOSTS.has(criterion)) return NO
  }
  return fitOfUnstated(criterion, cpe)
}

function fitOfUnstated(criterion: string, cpe: Cpe | undefined): Fit {
  const language = LANGUAGES.get(criterion)
  // Without vendor and registry the product is uncertain: a recipe's `tar` is GNU's rather than the one for Node.js.
  const isNamed = cpe !== undefined && cpe.vendor !== '*'
  if ((language !== undefined && isNamed) || ANYWHERE.has(criterion)) return SURE
  return { fits: true, doubts: [`the criterion is for ${criterion} only`] }
}
