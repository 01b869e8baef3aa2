import { pino, type Logger } from 'pino'

/** Structured logs on stdout; what could hold a secret is cut out wherever it stands. */
export function createLog(level: string): Logger {
  return pino({
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
  })
}
