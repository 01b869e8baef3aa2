/** nginx and Caddy as the guide configures them, before a service at a port of this machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const NAME = 'plimsoll.example.com'
export const GUIDE = readFileSync(
  resolve(import.meta.dirname, '../../docs/guide/server.md'),
  'utf8',
)
// Debian installs nginx in a folder of root's path.
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`

export interface Ports {
  service: number
  http: number
  https: number
}

interface Proxy {
  program: string
  version: string
  /** Its own configuration around that of the guide, and the arguments that start it. */
  write: (folder: string, ports: Ports) => { config: string; args: string[] }
}

/** The first block of a section of the guide. */
function findBlock(section: string): string {
  const [, block] =
    new RegExp(`### ${section}\\n[\\s\\S]*?\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(GUIDE) ?? []
  if (block === undefined) throw new Error(`The guide has no configuration of ${section}.`)
  return block
}

/** What differs on this machine. Each text has to be in the guide. */
function adapt(block: string, changes: Readonly<Record<string, string>>): string {
  let adapted = block
  for (const [from, to] of Object.entries(changes)) {
    if (!block.includes(from)) throw new Error(`The guide does not say ${from}`)
    adapted = adapted.replace(from, to)
  }
  return adapted
}

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: 'nginx',
    version: '-v',
    write: (folder, { service, http, https }) => {
      const at = (name: string) => join(folder, name)
      const block = adapt(findBlock('nginx'), {
        'server 127.0.0.1:8080;': `server 127.0.0.1:${service};`,
        'listen 80;': `listen 127.0.0.1:${http};`,
        'listen [::]:80;': '',
        'listen 443 ssl http2;': `listen 127.0.0.1:${https} ssl http2;`,
        'listen [::]:443 ssl http2;': '',
        [`/etc/letsencrypt/live/${NAME}/fullchain.pem`]: at('cert'),
        [`/etc/letsencrypt/live/${NAME}/privkey.pem`]: at('key'),
      })
      const paths = TEMPORARY.map((name) => `${name}_temp_path ${at(name)};`).join('\n')
      const user = process.getuid?.() === 0 ? 'user root;' : ''
      return {
        config: `${user}\ndaemon off;\npid ${at('pid')};\nevents {}\nhttp {\naccess_log off;\n${paths}\n${block}}\n`,
        args: ['-e', 'stderr', '-c', at('config')],
      }
    },
  },
  Caddy: {
    program: 'caddy',
    version: 'version',
    write: (folder, { service, http, https }) => {
      const at = (name: string) => join(folder, name)
      const block = adapt(findBlock('Caddy'), {
        [`${NAME} {`]: `${NAME} {\n  bind 127.0.0.1\n  tls ${at('cert')} ${at('key')}`,
        '127.0.0.1:8080': `127.0.0.1:${service}`,
      })
      return {
        config: `{\n  admin off\n  http_port ${http}\n  https_port ${https}\n}\n${block}`,
        args: ['run', '--adapter', 'caddyfile', '--config', at('config')],
      }
    },
  },
}

export const isThere = ({ program, version }: Proxy) =>
  spawnSync(program, [version], { env: { PATH }, stdio: 'ignore' }).status === 0

/** With `cert` and `key` in the folder. */
export function startProxy(
  { program, write }: Proxy,
  folder: string,
  ports: Ports,
): { child: ChildProcess; output: () => string } {
  const { config, args } = write(folder, ports)
  writeFileSync(join(folder, 'config'), config)
  const env = { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let written = ''
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  return { child, output: () => written }
}
