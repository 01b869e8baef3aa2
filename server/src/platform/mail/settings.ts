export interface MailSettings {
  /** undefined: no mail is sent. */
  server: SmtpServer | undefined
  from: { name: string; address: string }
  /** The number of mails of all workspaces together; null: any number. */
  mostPerHour: number | null
  patience: MailPatience
}

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte. */
  secure: boolean
  /** Sends nothing, including the password, before the connection is encrypted. */
  requireTls: boolean
  login: { user: string; password: string } | undefined
  /** Certificates of the authority that signed the server's (PEM). */
  authority: string | undefined
}

/** Time limits: to connect, to greet, and for one mail as a whole. */
export interface MailPatience {
  connectMs: number
  greetingMs: number
  totalMs: number
}
