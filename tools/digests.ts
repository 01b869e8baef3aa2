/**
 * `npm run digests`: asks the registries which digests the tags of images have now, and writes them into recipes and guides.
 * `--check` writes nothing, and ends with 1 when one is missing or out of date. `--mirror docker.io=https://registry.example.com`
 * asks there instead.
 */
import { parseArgs } from 'node:util'
import { readConfig } from '../server/src/config/config.ts'
import { HttpFailure } from '../server/src/platform/http-client/index.ts'
import { findImages, type ImageReference, pinImages } from './release/image-references.ts'
import { REPOSITORY } from './release/paths.ts'
import { openRegistries } from './release/registry.ts'

const { values, positionals } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    mirror: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
/** A machine without internet is told so within a minute or two. */
const PATIENCE = { totalMs: 180_000, retry: { attempts: 3, baseMs: 1_000, maxMs: 60_000 } }
const [folder = REPOSITORY] = positionals
const say = (text: string) => process.stdout.write(`${text}\n`)
const fail = (text: string) => {
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

const images = findImages(folder)
const registries = openRegistries({ ...readConfig().feeds.http, ...PATIENCE }, readMirrors())
try {
  if (values.check) for (const text of await findFaults()) fail(text)
  else await pin()
} finally {
  await registries.close()
}
if (process.exitCode === undefined)
  say(`${images.length} references have the digests of their tags`)

function readMirrors(): Map<string, string> {
  return new Map(
    values.mirror.map((text) => {
      const [, host, url] = /^([^=]+)=(https?:\/\/.+)$/.exec(text) ?? []
      if (host === undefined || url === undefined || !URL.canParse(url))
        throw new Error(`--mirror ${text}: write HOST=https://…`)
      return [host, url] as const
    }),
  )
}

/** What has no digest is at fault without a question. */
async function findFaults(): Promise<string[]> {
  const digests = await ask(images.filter(({ digest }) => digest !== undefined))
  return images.flatMap(({ place, name, digest }) => {
    if (digest === undefined) return [`${place}: ${name} has no digest`]
    const now = digests.get(name)
    return now === undefined || now === digest
      ? []
      : [`${place}: ${name} is out of date: its tag has ${now} now`]
  })
}

async function pin(): Promise<void> {
  const digests = await ask(images)
  pinImages(folder, digests)
  for (const { place, name, digest } of images) {
    const now = digests.get(name)
    if (now !== undefined && now !== digest) say(`${place}: ${name} has ${now} now`)
  }
}

/** Each name once. A name that cannot be asked for does not keep the others waiting. */
async function ask(asked: readonly ImageReference[]): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  for (const [name, image] of new Map(asked.map((one) => [one.name, one])))
    try {
      digests.set(name, await registries.findDigest(image))
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      fail(`${name}: ${error.message}`)
    }
  return digests
}
