/** The order in which the site shows its pages. All guides are here; design and decisions follow by their names. */
export const NAVIGATION: readonly { title: string; pages: readonly string[] }[] = [
  {
    title: 'Begin',
    pages: [
      'README.md',
      'docs/guide/getting-started.md',
      'docs/guide/concepts.md',
      'docs/guide/demo.md',
      'docs/glossary.md',
    ],
  },
  {
    title: 'SBOMs and findings',
    pages: [
      'generators',
      'sboms',
      'ci',
      'feeds',
      'matching',
      'end-of-life',
      'licences',
      'owners',
      'release-lines',
      'triage',
      'ssvc',
      'vex',
      'supplier-feeds',
      'law',
      'advisories',
      'portfolio',
      'figures',
    ].map((name) => `docs/guide/${name}.md`),
  },
  {
    title: 'Devices',
    pages: [
      'devices',
      'hawkbit',
      'rauc',
      'zephyr',
      'microcontroller',
      'device-protocol',
      'mqtt',
      'configuration',
      'artifacts',
      'deployments',
      'simulator',
    ].map((name) => `docs/guide/${name}.md`),
  },
  {
    title: 'Telemetry and alerts',
    pages: ['telemetry', 'alerts', 'webhooks', 'issues'].map((name) => `docs/guide/${name}.md`),
  },
  {
    title: 'Ways in',
    pages: ['portal', 'cli', 'cli-commands', 'api', 'mcp', 'people', 'scopes'].map(
      (name) => `docs/guide/${name}.md`,
    ),
  },
  {
    title: 'Run it',
    pages: [
      ...[
        'install',
        'server',
        'operations',
        'admin-commands',
        'settings',
        'backup',
        'watching',
        'metrics',
        'upgrade',
        'scale-out',
      ].map((name) => `docs/guide/${name}.md`),
      'SECURITY.md',
    ],
  },
]
