/** A device with RAUC and two slots in the virtual machine, and bundles for it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RaucMachine } from './rauc-machine.ts'

/** This host, as the machine calls it. */
export const HOST = '10.0.2.2'
const SYSTEM = `[system]
compatible=gateway
bootloader=custom
bundle-formats=verity crypt
data-directory=/var/lib/rauc
[handlers]
bootloader-custom-backend=/etc/rauc/boot
[keyring]
path=/etc/rauc/keyring.pem
[encryption]
key=/etc/rauc/recipient-key.pem
[streaming]
send-headers=boot-id;transaction-id
tls-ca=/etc/rauc/tls.pem
tls-cert=/etc/rauc/device.pem
tls-key=/etc/rauc/device-key.pem
[slot.rootfs.0]
device=/dev/vda
type=raw
bootname=A
[slot.rootfs.1]
device=/dev/vdb
type=raw
bootname=B
`
/** A boot loader that is a folder: the slot to start, and of each slot whether it is good. */
const BOOT = `#!/bin/sh
cd /var/lib/rauc
case $1 in
  get-primary) cat primary ;;
  set-primary) echo "$2" > primary; echo good > "state-$2" ;;
  get-state) cat "state-$2" ;;
  set-state) echo "$3" > "state-$2" ;;
esac
`
const writeManifest = (format: 'verity' | 'crypt') => `[update]
compatible=gateway
version=1
[bundle]
format=${format}
[image.rootfs]
filename=rootfs.img
adaptive=block-hash-index
`

export interface RaucDevice {
  /** Throws when the command fails. */
  run: (command: string) => Promise<string>
  /** Writes files of /etc/rauc. */
  put: (files: Readonly<Record<string, string>>) => Promise<string>
  /** The device starts from this slot, unless it did: its RAUC service begins anew. */
  startFrom: (slot: 'A' | 'B') => Promise<void>
  install: (url: string, options?: string) => Promise<{ succeeded: boolean; output: string }>
}

/** `files` are those that the configuration names: the keyring, and keys and certificates. */
export async function setUpRauc(
  machine: RaucMachine,
  files: Readonly<Record<string, string>>,
): Promise<RaucDevice> {
  let started: 'A' | 'B' | undefined
  const run: RaucDevice['run'] = async (command) => {
    const { status, output } = await machine.run(command)
    if (status !== 0) throw new Error(`${command}: ${status} ${output}`)
    return output
  }
  const put: RaucDevice['put'] = (written) => {
    const commands = Object.entries(written).map(
      ([file, text]) => `cat > /etc/rauc/${file} << 'END'\n${text}END\nchmod 755 /etc/rauc/${file}`,
    )
    return run(commands.join('\n'))
  }
  await put({ ...files, 'system.conf': SYSTEM, boot: BOOT })
  await run(
    `date -s @${Math.floor(Date.now() / 1000)}; cd /var/lib/rauc; echo good > state-A; echo good > state-B`,
  )
  return {
    run,
    put,
    startFrom: async (slot) => {
      if (started === slot) return
      started = slot
      await run(`echo ${slot} > /var/lib/rauc/primary
kill $(pidof rauc) 2> /dev/null; while pidof rauc; do sleep 0.1; done
rauc service --override-boot-slot=${slot} > /tmp/rauc.log 2>&1 &
for try in $(seq 200); do rauc status > /tmp/status 2>&1 && break; sleep 0.2; done
grep -q '^Booted from: .*(${slot})' /tmp/status || { cat /tmp/rauc.log /tmp/status; false; }`)
    },
    install: async (url, options = '') => {
      const { status, output } = await machine.run(`rauc install ${options} '${url}'`)
      return { succeeded: status === 0, output }
    },
  }
}

interface Bundle {
  /** Has `signer.pem` and `signer-key.pem`. */
  folder: string
  image: Buffer
  format?: 'verity' | 'crypt' | undefined
  /** The certificate for which it is encrypted. */
  recipient: string
}

export function makeBundle({ folder, image, format = 'verity', recipient }: Bundle): Buffer {
  const at = (name: string) => join(folder, name)
  const [input, bundle, encrypted] = [at('input'), at('bundle.raucb'), at('encrypted.raucb')]
  for (const path of [input, bundle, encrypted]) rmSync(path, { recursive: true, force: true })
  mkdirSync(input)
  writeFileSync(join(input, 'rootfs.img'), image)
  writeFileSync(join(input, 'manifest.raucm'), writeManifest(format))
  const rauc = (...args: string[]) => execFileSync('rauc', args, { stdio: 'pipe' })
  const [certificate, key] = [at('signer.pem'), at('signer-key.pem')]
  // Random bytes cannot be compressed.
  const squashfs = '--mksquashfs-args=-noI -noD -noF -noX'
  rauc('bundle', `--cert=${certificate}`, `--key=${key}`, squashfs, input, bundle)
  if (format === 'verity') return readFileSync(bundle)
  rauc('encrypt', `--keyring=${certificate}`, `--to=${recipient}`, bundle, encrypted)
  return readFileSync(encrypted)
}
