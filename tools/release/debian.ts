/** The Debian package: server, client, and Node, which Debian does not have in this version. Its PostgreSQL is Debian's, which is patched. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { CLIENT, readPinnedNode } from './cli.ts'
import { runCommand } from './command.ts'
import type { ReleaseFacts } from './facts.ts'
import { writeManPages } from './man.ts'
import { REPOSITORY } from './paths.ts'

const SOURCES = join(import.meta.dirname, 'debian')
const HOME = 'usr/lib/plimsoll'
const DOCUMENTATION = 'usr/share/doc/plimsoll'

export interface DebianParts {
  /** The folder of the server. */
  server: string
  /** The folder of the client. */
  bundle: string
  /** Documents that go with it, such as the SBOMs. */
  documents: readonly string[]
  work: string
  dist: string
}

export async function buildDebianPackage(
  facts: ReleaseFacts,
  { server, bundle, documents, work, dist }: DebianParts,
): Promise<string> {
  const root = join(work, 'debian')
  cpSync(server, join(root, HOME), { recursive: true, verbatimSymlinks: true })
  // For other systems; the package has its own.
  rmSync(join(root, HOME, 'systemd'), { recursive: true })
  // The launcher of the operator's commands is Debian's own, which reads the settings and changes the user.
  install(join(SOURCES, 'plimsoll-admin'), join(root, 'usr/sbin/plimsoll-admin'), 0o755)
  install(join(SOURCES, 'plimsoll'), join(root, 'usr/bin/plimsoll'), 0o755)
  cpSync(bundle, join(root, HOME, 'lib/client'), { recursive: true })
  // The launcher names the package's own Node.
  const client = join(root, HOME, 'lib/client/plimsoll.cjs')
  writeFileSync(client, readFileSync(client, 'utf8').replace(/^#!.*\n/, ''))
  chmodSync(client, 0o644)
  install(readPinnedNode(), join(root, HOME, 'lib/node'), 0o755)
  await installCompletions(bundle, root)
  await writeManPages(facts, { server, folder: join(root, 'usr/share/man') })
  symlinkSync('../lib/plimsoll/bin/plimsoll-server', join(root, 'usr/bin/plimsoll-server'))
  install(join(SOURCES, 'plimsoll.service'), join(root, 'usr/lib/systemd/system/plimsoll.service'))
  install(join(SOURCES, 'plimsoll.env'), join(root, 'etc/plimsoll/plimsoll.env'))
  install(join(SOURCES, 'copyright'), join(root, DOCUMENTATION, 'copyright'))
  install(join(SOURCES, 'lintian-overrides'), join(root, 'usr/share/lintian/overrides/plimsoll'))
  install(join(REPOSITORY, 'docs/guide/install.md'), join(root, DOCUMENTATION, 'README.md'))
  const license = join(dirname(readPinnedNode()), '../LICENSE')
  if (existsSync(license)) install(license, join(root, DOCUMENTATION, 'LICENSE.node'))
  for (const path of documents) install(path, join(root, DOCUMENTATION, nameWithoutVersion(path)))
  writeChangelog(facts, root)
  await normaliseModes(root)
  writeControl(facts, root)
  const file = join(dist, `plimsoll_${facts.version}_${facts.platform.debian}.deb`)
  await runCommand('find', [root, '-exec', 'touch', '-h', '-d', `@${facts.epoch}`, '{}', '+'])
  await runCommand(
    'dpkg-deb',
    ['--root-owner-group', '-Zxz', '-z6', '--threads-max=1', '--build', root, file],
    {
      // oxlint-disable-next-line no-process-env -- dpkg-deb reads its times from it
      env: { ...process.env, SOURCE_DATE_EPOCH: String(facts.epoch) },
    },
  )
  return file
}

/** Where the shells of Debian look for what packages bring. */
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/plimsoll',
  zsh: 'usr/share/zsh/vendor-completions/_plimsoll',
  fish: 'usr/share/fish/vendor_completions.d/plimsoll.fish',
}

/** The client itself says what each shell needs. */
export async function installCompletions(bundle: string, root: string): Promise<void> {
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    const target = join(root, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(
      target,
      await runCommand(process.execPath, [join(bundle, CLIENT), 'completion', shell]),
    )
  }
}

function install(source: string, target: string, mode = 0o644): void {
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(source, target)
  chmodSync(target, mode)
}

/** plimsoll-1.2.3.cdx.json → plimsoll.cdx.json */
function nameWithoutVersion(path: string): string {
  return path.replace(/^.*\//, '').replace(/-\d+\.\d+\.\d+/, '')
}

/** Whoever builds a package maintains it: debchange(1) reads the same two variables. */
function maintainer(): string {
  // oxlint-disable-next-line no-process-env -- Debian's way to say it
  const { DEBFULLNAME = 'Plimsoll', DEBEMAIL = 'plimsoll@localhost' } = process.env
  return `${DEBFULLNAME} <${DEBEMAIL}>`
}

function writeChangelog({ version, epoch }: ReleaseFacts, root: string): void {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')
  const text = `plimsoll (${version}) unstable; urgency=medium

  * Release ${version}. What changed is in /usr/lib/plimsoll/CHANGELOG.md.

 -- ${maintainer()}  ${date}
`
  writeFileSync(join(root, DOCUMENTATION, 'changelog.gz'), gzipSync(text, { level: 9 }))
}

async function normaliseModes(root: string): Promise<void> {
  await runCommand('chmod', ['-R', 'u+rwX,go+rX,go-w', root])
}

function writeControl({ version, platform }: ReleaseFacts, root: string): void {
  const folder = join(root, 'DEBIAN')
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()
  const kibibytes = files.reduce((sum, path) => sum + statSync(join(root, path)).size / 1024, 0)
  mkdirSync(folder)
  const control = `Package: plimsoll
Version: ${version}
Architecture: ${platform.debian}
Maintainer: ${maintainer()}
Installed-Size: ${Math.ceil(kibibytes)}
Depends: adduser, ca-certificates, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8), tzdata, util-linux (>= 2.33)
Recommends: postgresql (>= 15)
Section: admin
Priority: optional
Description: inventory, vulnerabilities and updates of embedded devices
 Plimsoll knows what is inside every firmware version, which of it is
 vulnerable, which devices run it, and how to replace it.
 .
 This package holds the service with the Node it runs on, the operator's
 commands (plimsoll-admin) and the client (plimsoll). It keeps its database
 with the programs of PostgreSQL 15 or newer, or uses a server elsewhere.
`
  writeFileSync(join(folder, 'control'), control)
  writeFileSync(join(folder, 'conffiles'), '/etc/plimsoll/plimsoll.env\n')
  // Patches of PostgreSQL restart the service, which runs its programs.
  writeFileSync(join(folder, 'triggers'), 'interest-noawait /usr/lib/postgresql\n')
  const sums = files
    .filter((path) => !path.startsWith('etc/'))
    .map((path) => `${md5(join(root, path))}  ${path}\n`)
  writeFileSync(join(folder, 'md5sums'), sums.join(''))
  for (const name of ['postinst', 'prerm', 'postrm'])
    install(join(SOURCES, name), join(folder, name), 0o755)
}

/** Debian's own list of files, against damage and not against attackers. */
function md5(path: string): string {
  return createHash('md5').update(readFileSync(path)).digest('hex')
}
