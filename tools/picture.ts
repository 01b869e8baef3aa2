/** Draws the slices and what they import into ARCHITECTURE.md, between two markers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { IModule } from 'dependency-cruiser'
import { ORDER } from './boundary-rules.ts'
import { readModules, ROOT } from './modules.ts'
import { findMax } from '../server/src/formats/extremes.ts'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const FILE = join(ROOT, 'ARCHITECTURE.md')
const BEGIN = '<!-- slices: written by npm run picture -->'
const END = '<!-- end of slices -->'
const SLICE = /^server\/src\/features\/([^/]+)\//

/** Which slices each slice imports, tests left out. */
function readGraph(modules: readonly IModule[]): Graph {
  const graph = new Map<string, Set<string>>(ORDER.map((name) => [name, new Set()]))
  for (const { source, dependencies } of modules) {
    const from = SLICE.exec(source)?.[1]
    if (from === undefined || source.endsWith('.test.ts')) continue
    const imported = graph.get(from)
    if (imported === undefined) throw new Error(`boundary-rules.ts has no place for ${from}`)
    for (const { resolved } of dependencies) {
      const to = SLICE.exec(resolved)?.[1]
      if (to !== undefined && to !== from) imported.add(to)
    }
  }
  return graph
}

function reachedFrom(name: string, graph: Graph): Set<string> {
  const direct = [...(graph.get(name) ?? [])]
  return new Set([...direct, ...direct.flatMap((next) => [...reachedFrom(next, graph)])])
}

/** The imports that no other import brings along. */
function essentialImports(name: string, graph: Graph): string[] {
  const imported = [...(graph.get(name) ?? [])]
  const further = new Set(imported.flatMap((next) => [...reachedFrom(next, graph)]))
  return ORDER.filter((one) => imported.includes(one) && !further.has(one)).toReversed()
}

/** 0 for what imports no slice, else one more than the highest that is imported. */
function heightOf(name: string, graph: Graph): number {
  const below = [...(graph.get(name) ?? [])].map((next) => heightOf(next, graph))
  return findMax(below, -1) + 1
}

function draw(graph: Graph): string {
  const width = Math.max(...ORDER.map((name) => name.length)) + 2
  const heights = new Map(ORDER.map((name) => [name, heightOf(name, graph)]))
  const levels = Array.from({ length: findMax(heights.values()) + 1 }, (_, height) =>
    ORDER.filter((name) => heights.get(name) === height),
  )
  const lines = levels.toReversed().flatMap((names) => [
    '',
    ...names.toReversed().map((name) => {
      const imports = essentialImports(name, graph)
      return imports.length === 0 ? name : `${name.padEnd(width)}─▶ ${imports.join(' · ')}`
    }),
  ])
  return ['```text', ...lines.slice(1), '```'].join('\n')
}

function withPicture(text: string, modules: readonly IModule[]): string {
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END)
  if (begin === -1 || end < begin) throw new Error(`ARCHITECTURE.md has no markers: ${BEGIN}`)
  const picture = draw(readGraph(modules))
  return `${text.slice(0, begin + BEGIN.length)}\n\n${picture}\n\n${text.slice(end)}`
}

export function isPictureStale(modules: readonly IModule[]): boolean {
  const text = readFileSync(FILE, 'utf8')
  return withPicture(text, modules) !== text
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { modules } = await readModules()
  if (isPictureStale(modules)) writeFileSync(FILE, withPicture(readFileSync(FILE, 'utf8'), modules))
}
