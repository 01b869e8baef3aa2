/** The images of others in recipes and guides: `host/path:tag@sha256:…`. People read the tag; engines fetch by the digest. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ImageName {
  host: string
  path: string
  tag: string
}

export interface ImageReference extends ImageName {
  /** `file:line` */
  place: string
  /** Without the digest. */
  name: string
  digest: string | undefined
}

const FILES = [
  'Containerfile',
  '{deploy,examples,integrations}/**/{*.yaml,*.yml,*.md,Containerfile*,Dockerfile*}',
  'docs/guide/*.md',
]

/** `image:` of YAML with a value, unless a template fills it; `FROM` of a Containerfile. */
const IN_YAML = /^([ \t]*(?:- +)?image: *["']?)(?!\{\{)([^\s"'#]+)/gm
const IN_CONTAINERFILE = /^(FROM +(?:--\S+ +)*)(\S+)/gm
const FULL_NAME =
  /^(?<name>(?<host>[\w-]+(?:\.[\w-]+)+(?::\d+)?)\/(?<path>[a-z0-9._/-]+):(?<tag>\w[\w.-]{0,127}))(?:@(?<digest>sha256:[0-9a-f]{64}))?$/
/** The image that this repository builds: its name is of one machine alone, or of an operator's registry. */
const OWN = /^plimsoll(?::|$)/

/** A name that is not complete is an error: engines add hosts and tags of their own to it. */
export function findImages(folder: string): ImageReference[] {
  return listFiles(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return [...text.matchAll(patternOf(file))].flatMap((match) => {
      const written = match[2] ?? ''
      if (isOurs(written, text)) return []
      const place = `${file}:${text.slice(0, match.index).split('\n').length}`
      return [{ place, ...parseReference(written, place) }]
    })
  })
}

/** What a release says of images that are whatever their tags lead to at an installation; undefined: none are. What is signed is for others. */
export function checkDigests(
  images: readonly ImageReference[],
  { isSigned, mayFloat }: { isSigned: boolean; mayFloat: boolean },
): string | undefined {
  const floating = images.filter(({ digest }) => digest === undefined)
  if (floating.length === 0) return undefined
  const lines = floating.map(({ place, name }) => `  ${place}: ${name}`)
  const text = ['Without a digest, so that another image may come later:', ...lines].join('\n')
  if (!isSigned || mayFloat) return text
  throw new Error(`${text}\nRun npm run digests, or sign the release with --floating-tags.`)
}

/** Writes the digests of these names into the files. */
export function pinImages(folder: string, digests: ReadonlyMap<string, string>): void {
  for (const file of listFiles(folder)) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    const pinned = text.replaceAll(patternOf(file), (all, before: string, written: string) => {
      const [name = ''] = written.split('@')
      const digest = digests.get(name)
      return digest === undefined ? all : `${before}${name}@${digest}`
    })
    if (pinned !== text) writeFileSync(path, pinned)
  }
}

function listFiles(folder: string): string[] {
  return globSync(FILES, { cwd: folder }).toSorted()
}

function patternOf(file: string): RegExp {
  return /\.(?:ya?ml|md)$/.test(file) ? IN_YAML : IN_CONTAINERFILE
}

/** Also a stage of the same Containerfile. */
function isOurs(written: string, text: string): boolean {
  const stages = [...text.matchAll(/^FROM .* AS +(\S+)/gim)].map(([, stage]) => stage)
  return OWN.test(written) || written === 'scratch' || stages.includes(written)
}

function parseReference(written: string, place: string): Omit<ImageReference, 'place'> {
  const { name, host, path, tag, digest } = FULL_NAME.exec(written)?.groups ?? {}
  if (name === undefined || host === undefined || path === undefined || tag === undefined)
    throw new Error(`${place}: write ${written} in full: HOST/NAME:TAG or HOST/NAME:TAG@sha256:…`)
  return { name, host, path, tag, digest }
}
