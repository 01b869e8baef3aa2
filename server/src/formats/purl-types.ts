/** The rules of each purl type for its parts (https://github.com/package-url/purl-spec, types/, revision 16f3d0e39343). */

export interface PurlParts {
  type: string
  namespace: string | undefined
  name: string
  version: string | undefined
  qualifiers: Readonly<Record<string, string>>
  subpath: string | undefined
}

type TextPart = 'namespace' | 'name' | 'version'

interface TypeRule {
  /** Parts whose case has no meaning; they are written small. */
  lower?: readonly TextPart[]
  namespace?: 'required' | 'prohibited'
  /** A qualifier that the purl must have. */
  qualifier?: string
  /** Forms of name and version that the definition gives. */
  forms?: Partial<Record<TextPart, RegExp>>
}

const BOTH = ['namespace', 'name'] as const

/**
 * A namespace is required only where the name alone is useless: real documents have `pkg:golang/stdlib`, `pkg:deb/openssl`
 * and `pkg:oci/library/debian`, which name a package well enough to match it.
 */
const RULES: Record<string, TypeRule> = {
  alpm: { lower: BOTH },
  apk: { lower: BOTH },
  bazel: { namespace: 'prohibited' },
  bitbucket: { lower: BOTH, namespace: 'required' },
  bitnami: { lower: ['name'], namespace: 'prohibited' },
  brew: { lower: BOTH },
  cargo: { namespace: 'prohibited' },
  'chrome-extension': {
    lower: ['name'],
    namespace: 'prohibited',
    forms: { name: /^[a-p]{32}$/, version: /^\d+(?:\.\d+){0,3}$/ },
  },
  cocoapods: { namespace: 'prohibited' },
  composer: { lower: BOTH },
  conda: { namespace: 'prohibited' },
  cpan: { forms: { name: /^(?!.*::)/ } },
  cran: { namespace: 'prohibited' },
  deb: { lower: BOTH },
  gem: { namespace: 'prohibited' },
  git: { namespace: 'required' },
  github: { lower: BOTH, namespace: 'required' },
  gitlab: { lower: BOTH, namespace: 'required' },
  hackage: { namespace: 'prohibited' },
  hex: { lower: BOTH },
  huggingface: { lower: ['version'] },
  julia: { namespace: 'prohibited', qualifier: 'uuid' },
  luarocks: { lower: BOTH },
  mlflow: { namespace: 'prohibited' },
  nuget: { namespace: 'prohibited' },
  oci: { lower: ['name', 'version'] },
  opam: { namespace: 'prohibited' },
  otp: { lower: ['name'], namespace: 'prohibited' },
  pub: { lower: ['name'], namespace: 'prohibited' },
  pypi: { lower: ['name', 'version'], namespace: 'prohibited' },
  qpkg: { lower: ['namespace'] },
  rpm: { lower: ['namespace'] },
  swid: { qualifier: 'tag_id' },
  swift: { namespace: 'required' },
  vcpkg: { namespace: 'prohibited' },
  'vscode-extension': { lower: ['namespace', 'name', 'version'], namespace: 'required' },
  yocto: { lower: ['namespace'] },
}

/** The parts as the type writes them. */
export function normaliseParts(parts: PurlParts): PurlParts {
  const lower = RULES[parts.type]?.lower ?? []
  const normal = {
    ...parts,
    namespace: lower.includes('namespace') ? parts.namespace?.toLowerCase() : parts.namespace,
    name: lower.includes('name') ? parts.name.toLowerCase() : parts.name,
    version: lower.includes('version') ? parts.version?.toLowerCase() : parts.version,
  }
  return { ...normal, name: normaliseName(normal) }
}

function normaliseName({ type, name, qualifiers }: PurlParts): string {
  switch (type) {
    case 'pypi':
      return name.replaceAll('_', '-')
    case 'pub':
      return name.replace(/[^a-z0-9]/g, '_')
    case 'mlflow':
      // Databricks ignores case; other servers do not.
      return qualifiers['repository_url']?.includes('databricks') ? name.toLowerCase() : name
    default:
      return name
  }
}

/** Why the parts do not form a purl of their type; undefined when they do. */
export function findPurlFault(parts: PurlParts): string | undefined {
  const rule = RULES[parts.type]
  if (rule === undefined) return undefined
  if (rule.namespace === 'required' && parts.namespace === undefined)
    return `a purl of type ${parts.type} has a namespace`
  if (rule.namespace === 'prohibited' && parts.namespace !== undefined)
    return `a purl of type ${parts.type} has no namespace`
  if (rule.qualifier !== undefined && parts.qualifiers[rule.qualifier] === undefined)
    return `a purl of type ${parts.type} has the qualifier ${rule.qualifier}`
  return faultOfForms(parts, rule)
}

function faultOfForms(parts: PurlParts, { forms = {} }: TypeRule): string | undefined {
  for (const part of ['name', 'version'] as const) {
    const text = parts[part]
    if (text !== undefined && forms[part]?.test(text) === false)
      return `${text} is not a ${part} of type ${parts.type}`
  }
  return undefined
}
