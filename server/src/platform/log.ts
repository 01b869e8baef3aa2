import { pino, type Logger } from 'pino'

/** Structured logs on stdout. Fields that could hold a secret are redacted. */
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
