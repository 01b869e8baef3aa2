/**
 * The image as an OCI archive, made without a container engine: a Debian from its mirror in place of the published base image, the
 * RUN lines and settings of the Containerfile, the Node of the lock file, and the server. https://github.com/opencontainers/image-spec
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compressFile, packFolder } from './archive.ts'
import { readPinnedNode } from './cli.ts'
import { runCommand } from './command.ts'
import { type Instruction, parseStage, readStages } from './containerfile.ts'
import { formatInstant, type ReleaseFacts } from './facts.ts'

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

export async function buildImage(
  facts: ReleaseFacts,
  { server, work, dist }: { server: string; work: string; dist: string },
): Promise<string> {
  const image = parseStage(readStages().at(-1) ?? '')
  const root = join(work, 'image-root.tar')
  await makeRoot(facts, { image, server, root })
  const diffId = `sha256:${digestOf(root)}`
  const name = `plimsoll-image-${facts.version}-${facts.platform.os}-${facts.platform.debian}`
  const blobs = join(work, name, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const layer = join(work, 'layer.tar.gz')
  await compressFile(root, layer)
  const put = (mediaType: string, file: string): Descriptor => {
    const digest = digestOf(file)
    copyFileSync(file, join(blobs, digest))
    return { mediaType, digest: `sha256:${digest}`, size: statSync(file).size }
  }
  const putJson = (mediaType: string, value: object) => {
    const file = join(work, 'blob.json')
    writeFileSync(file, JSON.stringify(value))
    return put(mediaType, file)
  }
  const type = (what: string) => `application/vnd.oci.image.${what}`
  const config = putJson(type('config.v1+json'), describeImage(facts, image, diffId))
  const manifest = putJson(type('manifest.v1+json'), {
    schemaVersion: 2,
    mediaType: type('manifest.v1+json'),
    config,
    layers: [put(type('layer.v1.tar+gzip'), layer)],
  })
  const reference = `plimsoll:${facts.version}`
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${reference}`,
    'org.opencontainers.image.ref.name': facts.version,
  }
  const index = {
    schemaVersion: 2,
    mediaType: type('index.v1+json'),
    manifests: [{ ...manifest, annotations }],
  }
  writeFileSync(join(work, name, 'index.json'), JSON.stringify(index))
  writeFileSync(join(work, name, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const file = join(dist, `${name}.tar.gz`)
  await packFolder(facts, { folder: join(work, name), name: '.', file })
  return basename(file)
}

/** Runs what the Containerfile runs, in a Debian of its version. */
async function makeRoot(
  facts: ReleaseFacts,
  { image, server, root }: { image: Instruction[]; server: string; root: string },
): Promise<void> {
  const [, suite = ''] = /node:\d+-(\w+)-slim/.exec(textOf(image, 'FROM')) ?? []
  const hooks = [
    `cp '${readPinnedNode()}' "$1/usr/local/bin/node"`,
    ...image.flatMap(({ name, text }) =>
      name === 'RUN' ? [`chroot "$1" sh -euc ${quote(text)}`] : [],
    ),
    `mkdir -p "$1/opt" && cp -R '${server}' "$1/opt/plimsoll" && chmod -R u+rwX,go+rX,go-w "$1/opt/plimsoll"`,
    // What differs from build to build.
    'rm -rf "$1"/var/log/* "$1"/var/cache/* "$1"/var/lib/apt/lists/*',
  ]
  const options = hooks.map((hook) => `--customize-hook=${hook}`)
  const needed = '--include=ca-certificates,tzdata,libstdc++6'
  await runCommand(
    'mmdebstrap',
    ['--quiet', '--variant=minbase', needed, ...options, suite, root],
    {
      // oxlint-disable-next-line no-process-env -- mmdebstrap reads its times from it
      env: {
        ...process.env,
        SOURCE_DATE_EPOCH: String(facts.epoch),
        DEBIAN_FRONTEND: 'noninteractive',
      },
    },
  )
}

function describeImage(facts: ReleaseFacts, image: Instruction[], diffId: string): object {
  const list = (name: string): unknown => JSON.parse(textOf(image, name))
  const [, interval = '10', timeout = '5', start = '120', command = '[]'] =
    /--interval=(\d+)s --timeout=(\d+)s --start-period=(\d+)s\s+CMD (\[.*\])/.exec(
      textOf(image, 'HEALTHCHECK'),
    ) ?? []
  const nanoseconds = (seconds: string) => Number(seconds) * 1_000_000_000
  return {
    created: formatInstant(facts),
    architecture: facts.platform.debian,
    os: facts.platform.os,
    config: {
      User: textOf(image, 'USER'),
      ExposedPorts: Object.fromEntries(
        textOf(image, 'EXPOSE')
          .split(' ')
          .map((port) => [`${port}/tcp`, {}]),
      ),
      Env: [
        'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        ...textOf(image, 'ENV').split(' '),
      ],
      Entrypoint: list('ENTRYPOINT'),
      Volumes: { [textOf(image, 'VOLUME')]: {} },
      WorkingDir: textOf(image, 'WORKDIR'),
      StopSignal: textOf(image, 'STOPSIGNAL'),
      // Docker's own; the specification has none.
      Healthcheck: {
        Test: ['CMD', ...(JSON.parse(command) as string[])],
        Interval: nanoseconds(interval),
        Timeout: nanoseconds(timeout),
        StartPeriod: nanoseconds(start),
      },
    },
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created: formatInstant(facts), created_by: 'npm run release' }],
  }
}

function textOf(image: Instruction[], name: string): string {
  return image.find((one) => one.name === name)?.text ?? ''
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
