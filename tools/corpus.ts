/**
 * Runs the labelled corpus and prints what came out; `--accept` makes it the accepted run, `--odds=java` lists the answers about
 * images that are at odds with their labels (docs/design/corpus.md).
 */
import { spawnSync } from 'node:child_process'

const env = {
  ...process.env,
  PLIMSOLL_CORPUS_REPORT: '1',
  PLIMSOLL_CORPUS_ACCEPT: process.argv.includes('--accept') ? '1' : '',
  PLIMSOLL_CORPUS_ODDS:
    process.argv.find((argument) => argument.startsWith('--odds='))?.slice('--odds='.length) ?? '',
}
const { status } = spawnSync(
  'vitest',
  ['run', 'server/test/corpus', '--disable-console-intercept'],
  {
    stdio: 'inherit',
    env,
  },
)
process.exitCode = status ?? 1
