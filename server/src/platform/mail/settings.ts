export interface MailSettings {
  /** undefined: no mail is sent. */
  server: SmtpServer | undefined
  from: { name: string; address: string }
  patience: MailPatience
}

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte on. */
  secure: boolean
  /** Nothing is sent, no password either, before the connection is encrypted. */
  requireTls: boolean
  login: { user: string; password: string } | undefined
  /** Certificates of the authority that signed the server's (PEM). */
  authority: string | undefined
}

/** How long a server may take: to be reached, to greet, between two bytes, for one mail altogether. */
export interface MailPatience {
  connectMs: number
  greetingMs: number
  silenceMs: number
  totalMs: number
}
