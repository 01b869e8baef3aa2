-- What the release gate asks of the support of components: nothing, that it has not ended, or that it lasts as long as was promised.
alter table workspaces add column gate_support text not null default 'NotAsked'
  check (gate_support in ('NotAsked', 'NotEnded', 'UntilPromise'));
