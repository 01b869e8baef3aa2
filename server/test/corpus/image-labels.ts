/**
 * The labels that people gave to matches of container images (docs/design/corpus.md, images). They are read from the shared
 * data; the repository holds no copy.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Image, imageOf, type ImagePackage, packageOf } from './image-packages.ts'

export interface ImageLabel {
  package: ImagePackage
  /** A CVE id, or a GHSA id where the label states no CVE. */
  vulnerability: string
  isAffected: boolean
  /** What its author wrote beside it. */
  note: string
  /** Stands for the label in the repository. */
  id: string
}

interface Line {
  effective_cve?: string | null
  vulnerability_id: string
  package: { name: string; version: string }
  image: { exact: string }
  label: string
  note?: string | null
}

/**
 * One label for each package and vulnerability of an image. The CVE that a label gives beside its own id (GHSA, ALAS, ELSA) is the
 * vulnerability. Left out are labels whose authors could not decide, and those that contradict each other.
 */
export function readImageLabels(sharedData: string): ImageLabel[] {
  const lines = gunzipSync(readFileSync(join(sharedData, 'labels/match-labels.jsonl.gz')))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const images = new Map<string, Image>()
  for (const [exact, of] of Map.groupBy(lines, ({ image }) => image.exact))
    images.set(
      exact,
      imageOf(
        exact,
        of.map((line) => line.package),
      ),
    )
  const known = new Map<string, ImageLabel[]>()
  for (const line of lines) {
    const image = images.get(line.image.exact)
    if (image === undefined || line.label === '??') continue
    const vulnerability = line.effective_cve ?? line.vulnerability_id
    const { name, version } = line.package
    const text = [image.name, name, version, vulnerability].join(' ')
    const label = {
      package: packageOf(image, name, version),
      vulnerability,
      isAffected: line.label === 'TP',
      note: line.note ?? '',
      id: createHash('sha256').update(text).digest('hex').slice(0, 8),
    }
    known.set(text, [...(known.get(text) ?? []), label])
  }
  return [...known.values()].flatMap(([first, ...others]) =>
    first !== undefined && others.every(({ isAffected }) => isAffected === first.isAffected)
      ? [first]
      : [],
  )
}
