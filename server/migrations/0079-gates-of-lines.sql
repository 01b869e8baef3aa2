-- What the release gate does with versions of the line, and asks of the support of their components. null: as the workspace says.
alter table firmware_lines
  add column release_gate text check (release_gate in ('Off', 'Warn', 'Block')),
  add column gate_support text check (gate_support in ('NotAsked', 'NotEnded', 'UntilPromise'));
