/** Archives that are equal byte by byte whenever their contents are. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { runCommand } from './command.ts'
import type { ReleaseFacts } from './facts.ts'

/** `folder/name` as a gzipped tar: sorted, owned by root, with one time and with modes that no umask changes. */
export async function packFolder(
  facts: ReleaseFacts,
  { folder, name, file }: { folder: string; name: string; file: string },
): Promise<void> {
  const tar = `${file}.tar`
  await runCommand('tar', [
    '--create',
    `--file=${tar}`,
    `--directory=${folder}`,
    '--format=gnu',
    '--sort=name',
    `--mtime=@${facts.epoch}`,
    '--owner=root:0',
    '--group=root:0',
    '--mode=u+rwX,go+rX,go-w',
    name,
  ])
  await compressFile(tar, file)
  await rm(tar)
}

/** Node's gzip states neither name nor time. */
export async function compressFile(source: string, file: string): Promise<void> {
  await pipeline(createReadStream(source), createGzip({ level: 9 }), createWriteStream(file))
}
