/**
 * A virtual machine in which Debian's RAUC streams bundles from the service: that needs NBD and dm-verity of the kernel. It is
 * made by rauc-machine/make.sh, and played by QEMU without help of the processor. PLIMSOLL_RAUC_MACHINE names its folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeAtEndOfFile } from './end-of-file.ts'

const PROGRAMS = ['qemu-system-x86_64', 'timeout', 'rauc', 'mksquashfs', 'openssl']
/** Of a machine that is left alone. */
const MOST_SECONDS = 900

/** Where the machine is, or in words why there is none. */
export function findRaucMachine(): { folder: string } | { lacks: string } {
  const folder = process.env['PLIMSOLL_RAUC_MACHINE']
  if (folder === undefined) return { lacks: 'PLIMSOLL_RAUC_MACHINE names no folder' }
  const files = ['kernel', 'initramfs'].map((name) => join(folder, name))
  const missing = [
    ...files.filter((file) => !existsSync(file)),
    ...PROGRAMS.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0),
  ]
  if (missing.length > 0)
    throw new Error(`PLIMSOLL_RAUC_MACHINE is set, and there is no ${missing.join(', ')}`)
  return { folder }
}

export interface RaucMachine {
  /** A command of the machine's shell, with what it printed. */
  run: (command: string) => Promise<{ status: number; output: string }>
  /** It stands still meanwhile. */
  hold: <T>(meanwhile: () => PromiseLike<T>) => Promise<T>
}

/** The files are its disks /dev/vda, /dev/vdb, …; it reaches ports of the loopback here at 10.0.2.2. It ends with the test file. */
export async function startRaucMachine(
  folder: string,
  disks: readonly string[],
): Promise<RaucMachine> {
  const messages = `${disks[0] ?? ''}.kernel`
  const options = [
    ['-accel', 'tcg', '-m', '384', '-nodefaults', '-no-user-config', '-display', 'none'],
    ['-no-reboot', '-kernel', join(folder, 'kernel'), '-initrd', join(folder, 'initramfs')],
    ['-append', 'console=ttyS0 panic=-1 mitigations=off'],
    ['-serial', `file:${messages}`, '-chardev', 'stdio,id=shell'],
    ['-device', 'virtio-serial-pci', '-device', 'virtserialport,chardev=shell'],
    ['-netdev', 'user,id=net', '-device', 'virtio-net-pci,netdev=net,romfile='],
    ...disks.map((file) => ['-drive', `file=${file},format=raw,if=virtio`]),
  ]
  const args = [String(MOST_SECONDS), 'qemu-system-x86_64', ...options.flat()]
  const child = spawn('timeout', ['--kill-after=5', ...args], { stdio: 'pipe' })
  const ended = once(child, 'exit')
  let written = ''
  const faults: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString('latin1')))
  child.stderr.on('data', (chunk: Buffer) => faults.push(chunk))
  // A machine that ended takes no commands.
  child.stdin.on('error', () => undefined)

  /** What follows `from`, as far as the pattern. */
  async function readTo(pattern: RegExp, from: number): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(written.slice(from))
      if (found) return found
      const isRunning = await Promise.race([
        once(child.stdout, 'data').then(() => true),
        ended.then(() => false),
      ])
      if (isRunning) continue
      const said = existsSync(messages) ? readFileSync(messages, 'latin1').slice(-2000) : ''
      throw new Error(`The machine ended: ${Buffer.concat(faults).toString()}${said}`)
    }
  }
  let commands = 0
  const run: RaucMachine['run'] = async (command) => {
    const end = `end-of-command-${(commands += 1)}`
    const from = written.length
    child.stdin.write(`{\n${command}\n} < /dev/null 2>&1; echo "${end} $?"\n`)
    const [, output = '', status] = await readTo(new RegExp(`^([^]*?)${end} (\\d+)`), from)
    return { output, status: Number(status) }
  }
  const hold: RaucMachine['hold'] = async (meanwhile) => {
    if (child.pid === undefined) throw new Error('The machine did not start.')
    // `timeout` leads a group of its own.
    process.kill(-child.pid, 'SIGSTOP')
    try {
      return await meanwhile()
    } finally {
      process.kill(-child.pid, 'SIGCONT')
    }
  }
  closeAtEndOfFile(() => {
    child.kill()
    return ended
  })
  await readTo(/^ready$/m, 0)
  return { run, hold }
}
