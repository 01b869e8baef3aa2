/**
 * `npm run release`: builds everything that people install into dist/, offline from what `npm ci` installed. Two builds of a
 * commit are equal byte by byte. `--only server,cli` builds some parts; `--image` adds the image,
 * which takes root, mmdebstrap and a mirror of Debian; `--check` builds twice, compares, and tries what it built; `--sign KEY`
 * signs the sums. A signed release has the digests of all images in its recipes (`npm run digests`), or says `--floating-tags`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildRelease, type Part, PARTS } from './release/build.ts'
import { readFacts } from './release/facts.ts'
import { checkDigests, findImages } from './release/image-references.ts'
import { DIST, REPOSITORY } from './release/paths.ts'
import { readSigningKey, signChecksums } from './release/sign.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
    sign: { type: 'string' },
    'floating-tags': { type: 'boolean', default: false },
  },
})

function isPart(name: string): name is Part {
  return PARTS.some((part) => part === name)
}

if (values.check && values.only !== undefined) throw new Error('--check tries all parts')
if (values.check && values.image) throw new Error('--check builds no image')
const offline = PARTS.filter((part) => part !== 'image')
const names = [...(values.only?.split(',') ?? offline), ...(values.image ? ['image'] : [])]
const unknown = names.filter((name) => !isPart(name))
if (unknown.length > 0)
  throw new Error(`--only: ${unknown.join(', ')} is no part; the parts are ${PARTS.join(', ')}`)
const facts = await readFacts()
const say = (text: string) => process.stdout.write(`${text}\n`)
const signer = values.sign === undefined ? undefined : readSigningKey(values.sign)
const floating = checkDigests(findImages(REPOSITORY), {
  isSigned: signer !== undefined,
  mayFloat: values['floating-tags'],
})
await buildRelease({ facts, dist: DIST, parts: new Set(names.filter(isPart)), say })
if (signer) signChecksums(DIST, signer)
if (values.check) await check()
if (floating !== undefined) say(floating)

/** Builds the same again elsewhere, and tries what is in dist/ as people would use it. */
async function check(): Promise<void> {
  const again = mkdtempSync(join(tmpdir(), 'plimsoll-again-'))
  try {
    await buildRelease({ facts, dist: again, parts: new Set(offline), say: () => undefined })
    const [first, second] = [DIST, again].map((folder) =>
      readFileSync(join(folder, 'SHA256SUMS'), 'utf8'),
    )
    if (first !== second) throw new Error(`Two builds differ:\n${first}\n${second}`)
    say('a second build is equal')
  } finally {
    rmSync(again, { recursive: true, force: true })
  }
  // oxlint-disable-next-line no-process-env -- for the test of the release
  const env = { ...process.env, PLIMSOLL_RELEASE: DIST }
  const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const options = { cwd: REPOSITORY, env, stdio: 'inherit' } as const
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'tools/release'], options)
  if (status !== 0) throw new Error('What was built does not work as it should; see above.')
}
