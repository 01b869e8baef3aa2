import { styleText } from 'node:util'
import { type DestinationStream, type Logger, pino } from 'pino'
import { formatLogLine } from './readable-log.ts'

interface Output {
  isTTY?: boolean
  write: (text: string) => unknown
}

/** On stdout: lines for people on a terminal, JSON elsewhere. Fields that could hold a secret are redacted. */
export function createLog(level: string, output?: Output): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'req.headers.authorization',
        'headers.authorization',
        'headers.cookie',
        'apiKey',
        'password',
        '*.apiKey',
        '*.password',
        '*.secretAccessKey',
        '*.connectionString',
      ],
      censor: '[redacted]',
    },
  }
  const to = output ?? process.stdout
  if (to.isTTY) return pino(options, readableTo(to))
  return output ? pino(options, output) : pino(options)
}

function readableTo(output: Output): DestinationStream {
  // Knows NO_COLOR and dumb terminals.
  const paint = (colour: 'dim' | 'yellow' | 'red', text: string) =>
    styleText(colour, text, { stream: process.stdout })
  return { write: (json) => output.write(formatLogLine(json, paint)) }
}
